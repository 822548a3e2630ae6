# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# The programs in man pages, for the tests that compile and run them.
package Examples;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(programs);

# An EXAMPLES section's programs, as groff would print them.
sub programs {
	my ($page) = @_;
	open my $f, '<:raw', $page or die "$page: $!";
	my $text = do { local $/; <$f> };
	my ($section) = $text =~ /^\.SH EXAMPLES\n(.*?)(?=^\.SH|\z)/ms or return;
	return map { s/\\-/-/gr =~ s/\\e/\\/gr } grep { /^int main\(/m } $section =~ /^\.EX\n(.*?)^\.EE/msg;
}

1;
