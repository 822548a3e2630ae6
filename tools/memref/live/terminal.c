// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * The terminal that memref top draws on.
 *
 * By ncurses: it knows the terminals, decodes their keys, writes only what changed, and
 * restores their settings.  Signals only set flags here; ncurses' own handler of SIGTSTP
 * would draw from within a signal.
 */
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
/* After the headers of the C library, which define what makes it declare wide characters. */
#include <curses.h>

#include "controls.h"
#include "frame.h"
#include "terminal.h"

static SCREEN *screen;
static attr_t attributes[NR_STYLES];
static volatile sig_atomic_t stop, resumed;

static void on_stop(int sig)
{
	(void)sig;
	stop = 1;
}

static void on_continue(int sig)
{
	(void)sig;
	resumed = 1;
}

/* Ends a wait; terminal_resize() looks for the new size. */
static void on_resize(int sig)
{
	(void)sig;
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler }, before;

	/* Who starts a program with a signal ignored means it. */
	if (!sigaction(sig, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(sig, &action, NULL);
}

static const struct {
	attr_t attribute;
	short color;		/* 0: the terminal's own; nothing is black */
} looks[NR_STYLES] = {
	[STYLE_TITLE] = { A_REVERSE }, [STYLE_HEAD] = { A_BOLD }, [STYLE_MARK] = { A_REVERSE },
	[STYLE_USED] = { 0, COLOR_GREEN }, [STYLE_WRITTEN] = { 0, COLOR_YELLOW },
	[STYLE_WARN] = { A_BOLD, COLOR_RED }, [STYLE_NOTE] = { 0, COLOR_CYAN },
};

static void set_styles(void)
{
	/* https://no-color.org */
	const char *no_color = getenv("NO_COLOR");
	const bool colors = has_colors() && !(no_color && *no_color) && start_color() == OK;
	const short background = colors && use_default_colors() == OK ? -1 : COLOR_BLACK;
	short s;

	for (s = 0; s < NR_STYLES; s++) {
		attributes[s] = looks[s].attribute;
		if (colors && looks[s].color && init_pair(s, looks[s].color, background) == OK)
			attributes[s] |= COLOR_PAIR(s);
	}
}

/**
 * terminal_usable() - whether standard output is a terminal that can redraw a frame in place
 *
 * Return: false as well if $TERM is unset or dumb.
 */
bool terminal_usable(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

/**
 * terminal_open() - take the terminal
 *
 * Return: 0, or -1 if nothing is known about $TERM: the terminal is as before.
 */
int terminal_open(void)
{
	setlocale(LC_CTYPE, "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return -1;
	handle(SIGTSTP, on_stop);
	handle(SIGCONT, on_continue);
	handle(SIGWINCH, on_resize);
	cbreak();
	noecho();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	/* ms; long enough for the rest of a key's sequence, and Esc alone is still quick */
	set_escdelay(50);
	curs_set(0);
	set_styles();
	return 0;
}

/** terminal_close() - leave the terminal as it was */
void terminal_close(void)
{
	endwin();
	delscreen(screen);
	screen = NULL;
}

/**
 * terminal_utf8() - whether text for the terminal is UTF-8
 *
 * Return: that, by the locale.
 */
bool terminal_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/**
 * terminal_keys() - whether keys can be read
 *
 * Return: false if standard input is not a terminal.
 */
bool terminal_keys(void)
{
	return isatty(STDIN_FILENO);
}

/**
 * terminal_resize() - follow the size of the terminal
 * @width: set to its columns
 * @height: set to its rows
 *
 * Return: whether it has changed.
 */
bool terminal_resize(int *width, int *height)
{
	struct winsize size;
	bool changed;

	/* A serial line has no size: ncurses' is what its description, or $LINES, says. */
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    is_term_resized(size.ws_row, size.ws_col))
		resizeterm(size.ws_row, size.ws_col);
	changed = *width != COLS || *height != LINES;
	*width = COLS;
	*height = LINES;
	return changed;
}

/* Stop as by Ctrl-Z in a program without a handler, with the terminal as it was. */
static void stop_here(void)
{
	stop = 0;
	endwin();
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	handle(SIGTSTP, on_stop);
	resumed = 1;
}

/**
 * terminal_resumed() - stop if Ctrl-Z was typed, and find out whether the program was stopped
 *
 * Return: true if it was, once: everything must be drawn again.
 */
bool terminal_resumed(void)
{
	if (stop)
		stop_here();
	if (!resumed)
		return false;
	resumed = 0;
	/* A shell may have changed the settings meanwhile. */
	reset_prog_mode();
	terminal_redraw();
	return true;
}

/** terminal_redraw() - write everything with the next frame: others may have written, too */
void terminal_redraw(void)
{
	clearok(curscr, TRUE);
}

static void put_row(int row, const char *text, const char *end)
{
	const char *next;

	move(row, 0);
	/* Of a character in the row above that the terminal takes for a wider one. */
	clrtoeol();
	attrset(A_NORMAL);
	for (; text < end; text = next) {
		if (*text > 0 && *text < NR_STYLES) {
			attrset(attributes[(int)*text]);
			next = text + 1;
			continue;
		}
		for (next = text + 1; next < end && !(*next > 0 && *next < NR_STYLES); next++)
			;
		addnstr(text, next - text);
	}
}

/**
 * terminal_put() - show a frame
 * @frame: the frame, see frame.h
 */
void terminal_put(const char *frame)
{
	const char *end;
	int row;

	erase();
	for (row = 0; *frame && row < LINES; row++, frame = *end ? end + 1 : end) {
		end = frame + strcspn(frame, "\n");
		put_row(row, frame, end);
	}
	refresh();
}

static uint32_t function_key(wint_t c)
{
	switch (c) {
	case KEY_UP: return PRESS_UP;
	case KEY_DOWN: return PRESS_DOWN;
	case KEY_LEFT: return PRESS_LEFT;
	case KEY_RIGHT: return PRESS_RIGHT;
	case KEY_PPAGE: return PRESS_PAGE_UP;
	case KEY_NPAGE: return PRESS_PAGE_DOWN;
	case KEY_HOME: return PRESS_HOME;
	case KEY_END: return PRESS_END;
	case KEY_BACKSPACE: return PRESS_BACKSPACE;
	case KEY_ENTER: return PRESS_ENTER;
	default: return PRESS_OTHER;
	}
}

/**
 * terminal_key() - take a key that was pressed
 * @key: set to a code point, or one of enum key
 *
 * Return: false if there is none.
 */
bool terminal_key(uint32_t *key)
{
	wint_t c;

	switch (get_wch(&c)) {
	case KEY_CODE_YES:
		*key = function_key(c);
		return true;
	case OK:
		*key = c == '\n' || c == '\r' ? PRESS_ENTER : c == 0x7f || c == '\b' ? PRESS_BACKSPACE :
			c == '\033' ? PRESS_ESCAPE : c;
		return true;
	default:
		return false;
	}
}

/**
 * terminal_wait() - wait for a key or a signal
 * @ms: at most so long
 *
 * Return: false if no key can come any more: the terminal is gone.
 */
bool terminal_wait(int ms)
{
	struct pollfd p = { .fd = terminal_keys() ? STDIN_FILENO : -1, .events = POLLIN };
	int bytes = 0;

	if (poll(&p, 1, ms) <= 0)
		return true;
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
		return false;
	return !ioctl(STDIN_FILENO, FIONREAD, &bytes) && bytes > 0;
}
