// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Cache lines in the order of time: which samples of a CPU follow those of another one.
 *
 * A sample is a hand-over if the CPU cannot have kept the line since its own last sample of
 * it: another CPU wrote the line in between, or another CPU used it and this sample writes.
 * A line that two CPUs really share goes back and forth; data that one CPU uses after another,
 * as when a program ends, are handed over once.
 *
 * A stack belongs to one task after another, which is no sharing.  So on stacks the actors are
 * tasks, not CPUs, and a hand-over is one to a task that used the line before: the owner,
 * after another task wrote to its stack from another CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

static struct turns *get_turns(struct model *m, const struct use *u)
{
	struct turns key, *t;

	memset(&key.key, 0, sizeof(key.key));
	key.key.line = u->key.line;
	key.key.space = u->key.space;
	HASH_FIND(hh, m->turns, &key.key, sizeof(key.key), t);
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->key = key.key;
	HASH_ADD(hh, m->turns, key, sizeof(t->key), t);
	return t;
}

static struct visit *get_visit(struct model *m, const struct turns *turns, int64_t actor)
{
	struct visit key, *visit;

	memset(&key.key, 0, sizeof(key.key));
	key.key.turns = turns;
	key.key.actor = actor;
	HASH_FIND(hh, m->visits, &key.key, sizeof(key.key), visit);
	if (visit || HASH_COUNT(m->visits) >= MAX_KEPT)
		return visit;
	visit = calloc(1, sizeof(*visit));
	if (!visit) {
		m->no_memory = true;
		return NULL;
	}
	visit->key = key.key;
	HASH_ADD(hh, m->visits, key, sizeof(visit->key), visit);
	return visit;
}

/* The last one by another actor; its time is 0 if there is none. */
static const struct turn *by_other(const struct turn turn[2], int64_t actor)
{
	return turn[0].actor != actor ? &turn[0] : &turn[1];
}

/* Keep the last ones of two actors, the last one first. */
static void note_turn(struct turn turn[2], const struct turn *last)
{
	if (turn[0].time && turn[0].actor != last->actor)
		turn[1] = turn[0];
	turn[0] = *last;
}

/**
 * turns_add() - add a sample to the order of its line
 * @m: the model; the number of its samples is the time
 * @u: the use that the sample belongs to
 * @pid: the task
 * @writes: the sample is of a store
 *
 * Return: 1 if the line was handed over to the CPU (on a stack: to the task), 0 if not, -1
 * without memory.
 */
int turns_add(struct model *m, struct use *u, int32_t pid, bool writes)
{
	const struct turn turn = { m->samples, u->on_stack ? pid : u->key.cpu, u->key.cpu };
	const struct turn *store, *other;
	struct visit *visit = u->visit;
	bool handed_over;

	if (u->key.cpu < 0)
		return 0;
	if (!u->turns && !(u->turns = get_turns(m, u)))
		return -1;
	if (!visit) {
		visit = get_visit(m, u->turns, turn.actor);
		if (!visit)
			return m->no_memory ? -1 : 0;
		u->visit = u->on_stack ? NULL : visit;
	}
	store = by_other(u->turns->store, turn.actor);
	other = by_other(u->turns->access, turn.actor);
	handed_over = store->time > visit->time || (writes && other->time > visit->time);
	if (u->on_stack)
		handed_over &= visit->time && other->cpu != turn.cpu;
	else
		u->turns->changes += u->turns->access[0].time && u->turns->access[0].actor != turn.actor;
	note_turn(u->turns->access, &turn);
	if (writes)
		note_turn(u->turns->store, &turn);
	visit->time = turn.time;
	return handed_over;
}

/**
 * turns_free() - free the order of all lines
 * @m: the model
 */
void turns_free(struct model *m)
{
	struct turns *t, *next;
	struct visit *visit, *next_visit;

	HASH_ITER(hh, m->turns, t, next) {
		HASH_DEL(m->turns, t);
		free(t);
	}
	HASH_ITER(hh, m->visits, visit, next_visit) {
		HASH_DEL(m->visits, visit);
		free(visit);
	}
}
