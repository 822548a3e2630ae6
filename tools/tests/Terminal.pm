# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# A terminal for tests: tmux runs programs in it, types, and says what is on the screen.
package Terminal;

use strict;
use warnings;
use Encode qw(decode);
use Time::HiRes qw(sleep time);

# Far more than is needed: only a failure waits so long.
my $patience = 6;

# new(directory of its own, columns, rows, command...)
sub new {
	my ($class, $dir, $width, $height, @command) = @_;
	my $self = bless { dir => $dir }, $class;
	# A test is not to depend on the terminal that it was started from.
	delete @ENV{qw(TMUX NO_COLOR COLUMNS LINES)};
	$ENV{LC_ALL} = 'C.UTF-8';
	$self->tmux('new-session', '-d', '-x', $width, '-y', $height, @command);
	return $self;
}

sub tmux {
	my ($self, @words) = @_;
	open my $out, '-|', 'tmux', '-S', "$self->{dir}/tmux", '-f', '/dev/null', @words or die "tmux: $!\n";
	local $/;
	my $text = <$out> // '';
	close $out;
	return decode('UTF-8', $text);
}

# Keys by tmux's names, and text as it is.
sub press { my ($self, @keys) = @_; $self->tmux('send-keys', @keys) }
sub type { my ($self, $text) = @_; $self->tmux('send-keys', '-l', $text) }
sub screen { my ($self) = @_; return $self->tmux('capture-pane', '-p') }
sub styled { my ($self) = @_; return $self->tmux('capture-pane', '-p', '-e') }
sub ask { my ($self, $what) = @_; chomp(my $text = $self->tmux('display', '-p', "#{$what}")); return $text }
sub resize { my ($self, $width, $height) = @_; $self->tmux('resize-window', '-x', $width, '-y', $height) }

# Until the screen matches; false if it never does.
sub wait_for {
	my ($self, $expected) = @_;
	my $end = time + $patience;
	while (1) {
		$self->{last} = $self->screen;
		return 1 if $self->{last} =~ $expected;
		return 0 if time > $end;
		sleep 0.05;
	}
}

sub close { my ($self) = @_; $self->tmux('kill-server') }

sub DESTROY {
	my ($self) = @_;
	local $?;
	system "tmux -S '$self->{dir}/tmux' kill-server 2>/dev/null";
}

1;
