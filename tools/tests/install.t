#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# make install, wherever libraries go: memprof finds the library that it preloads; make
# uninstall leaves nothing behind, and nothing that is not ours goes.
use strict;
use warnings;
use File::Copy 'copy';
use FindBin;
use lib $FindBin::RealBin;
use Test::More;
use Tool;

my $where = "$build/tools/tests/memprof_where";
# Each place has memprof linked again, which takes seconds when it is optimized: the last one, which
# stays, is.
my $quick = 'LDFLAGS=-fno-lto';
# Nothing else is to be linked that way.
is(system("make -s -C $tools O=$build all >$dir/log 2>&1"), 0, 'built') or diag slurp("$dir/log");

# Installs; gives what memprof_where prints beside memprof.
sub install {
	my ($prefix, %o) = @_;
	my $destdir = $o{DESTDIR} // '';
	my @settings = ("PREFIX=$prefix", map { "$_=$o{$_}" } sort keys %o);
	# The helper has what memprof has.
	is(system("make -s -C $tools O=$build $quick @settings install $where >$dir/log 2>&1"), 0, "make install @settings")
		or diag slurp("$dir/log");
	# In a build tree, the library is beside the program; here only where it was installed.
	copy($where, "$destdir$prefix/bin/memprof_where") or die;
	chmod 0755, "$destdir$prefix/bin/memprof_where";
	return "$destdir$prefix/bin/memprof_where";
}

sub found {
	my ($status, $path, $err) = run($_[0]);
	chomp $path;
	# By its place: there may be .. in the path.
	return $status ? "none" : join ' ', (stat $path)[0, 1];
}

sub place {
	my ($libdir) = @_;
	return join ' ', (stat "$libdir/memprof/libmemprof-preload.so")[0, 1];
}

for my $libdir ('/usr/lib', '/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/libraries') {
	my $to = "$dir/" . ($libdir =~ s/\W/_/gr);
	my $program = install('/usr', DESTDIR => $to, LIBDIR => $libdir);
	is(found($program), place("$to$libdir"), "LIBDIR=$libdir: below DESTDIR");
	is_deeply([ grep { !-s "$to/usr/share/$_" } 'bash-completion/completions/memref', 'zsh/vendor-completions/_pagealloc',
		'fish/vendor_completions.d/dprof.fish' ], [], 'completions of shells are there');
	rename $to, "$to.moved" or die;
	is(found("$to.moved/usr/bin/memprof_where"), place("$to.moved$libdir"), 'where the tree was moved to');
}
{
	my $program = install("$dir/p", LIBDIR => "$dir/far/away");
	is(found($program), place("$dir/far/away"), 'without DESTDIR');
	mkdir "$dir/alone";
	rename $program, "$dir/alone/memprof_where" or die;
	is(found("$dir/alone/memprof_where"), place("$dir/far/away"), 'of a program that was moved alone, in LIBDIR');
	unlink "$dir/far/away/memprof/libmemprof-preload.so";
	is(found("$dir/alone/memprof_where"), 'none', 'none, if there is none');
}
for my $settings ("DESTDIR=$dir/u", "DESTDIR=$dir/u PREFIX=/opt/m LIBDIR=/opt/m/lib64 INCLUDEDIR=/opt/m/inc DOCDIR=/opt/m/doc") {
	my $make = "make -s -C $tools O=$build $quick $settings";
	is(system("$make install >$dir/log 2>&1"), 0, "installed: $settings") or diag slurp("$dir/log");
	my ($prefix) = $settings =~ /PREFIX=(\S+)/ ? $1 : '/usr';
	ok(-x "$dir/u$prefix/bin/memref", 'there it is');
	# Of somebody else, beside ours.
	my @theirs = map { spew($_, "theirs\n") } "$dir/u$prefix/bin/other", "$dir/u$prefix/share/man/man1/other.1",
		"$dir/u$prefix/share/memscope/plots/mine.gp";
	is(system("$make uninstall >$dir/log 2>&1"), 0, 'uninstalled') or diag slurp("$dir/log");
	chomp(my @left = `find $dir/u ! -type d`);
	is("@{[sort @left]}", "@{[sort @theirs]}", 'only files of others are left');
	unlink @theirs;
	is(system("$make uninstall >$dir/log 2>&1"), 0, 'uninstalled when nothing is there');
	is(`find $dir/u -path '*/share/doc*/*' -o -path '*/include/*' -o -path '*/lib*/memprof*'`, '', 'no folder of ours is left');
	system("rm -rf $dir/u");
}

# The documents: what they lead to, and the text of each license that a file is under.
# links DIRECTORY: of its pages, those to a file that is not there.
sub links {
	my ($top) = @_;
	my @missing;

	for my $page (qw(README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md)) {
		my $text = slurp("$top/$page") // (push(@missing, $page), '');
		push @missing, map { "$page: $_" } grep { !-e "$top/$_" } $text =~ /\]\((?!\w+:|#)([^)#\s]+)/g;
	}
	return "@missing";
}
chomp(my @licenses = `cd $tools/../LICENSES && ls`);
cmp_ok(scalar @licenses, '>=', 5, 'texts of licenses');
{
	is(system("make -s -C $tools O=$build $quick DESTDIR=$dir/d DOCDIR=/doc install >$dir/log 2>&1"), 0, 'installed with a DOCDIR')
		or diag slurp("$dir/log");
	is(links("$dir/d/doc"), '', 'links of installed pages lead to installed files');
	is_deeply([ grep { !-s "$dir/d/doc/LICENSES/$_" } @licenses ], [], 'the texts of the licenses are installed');
	like(slurp("$dir/d/doc/COPYING"), qr/LICENSES\//, 'where COPYING says');
	system("rm -rf $dir/d");
}
{
	is(system("$tools/../kernel-config/deb-tools.sh --source $dir/source >$dir/log 2>&1"), 0, 'the sources of the Debian packages')
		or diag slurp("$dir/log");
	is(links("$dir/source"), '', 'links of their pages lead to files there');
	is_deeply([ grep { !-s "$dir/source/LICENSES/$_" } @licenses ], [], 'the texts of the licenses are there');
	my ($removed) = slurp("$dir/source/debian/rules") =~ /^\trm -rf (.*)$/m;
	like($removed // '', qr{/memscope-doc/COPYING .*/memscope-doc/LICENSES$}, 'and not in the packages: Debian has them');
	system("rm -rf $dir/source");
}

# No build step asks a package manager.
spew("$dir/bin/$_", "#!/bin/sh\necho $_ >>$dir/asked\nexit 1\n") for qw(apt-get apt dpkg dpkg-query sudo);
chmod 0755, glob "$dir/bin/*";
is(system("PATH=$dir/bin:\$PATH make -s -C $tools/.. B=$build DESTDIR=$dir/n tools install >$dir/log 2>&1"), 0, 'make tools install')
	or diag slurp("$dir/log");
is(slurp("$dir/asked"), undef, 'and no package manager was asked');

# As it was.
is(system("make -s -C $tools O=$build all $where >$dir/log 2>&1"), 0, 'built again for the usual places');

done_testing();
