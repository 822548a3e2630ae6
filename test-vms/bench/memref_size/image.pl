#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# image.pl BUILD SEED IMAGE WORKLOAD: makes the file system of a workload of memref_size.sh:
# Debian's programs with their libraries, inputs that depend on the seed, and what guest.sh
# runs.  image.pl lists the workloads.
use strict;
use warnings;
use File::Basename;
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use FindBin;

my ($build, $root);

sub sh { system(@_) == 0 or die "image.pl: @_: failed\n" }

sub put {
	my ($path, $text, $mode) = @_;
	make_path(dirname("$root/$path"));
	open my $f, '>', "$root/$path" or die "$root/$path: $!\n";
	print $f $text;
	close $f or die "$root/$path: $!\n";
	chmod $mode // 0644, "$root/$path";
}

# A program, with its libraries, from the host or from packages that are not installed.
sub program {
	my ($path, $as) = @_;
	my ($from) = grep { -x } "$build/unpacked$path", $path;
	die "image.pl: no $path: make deps unpacked\n" if !$from;
	copy($from, $as // $path);
	local $ENV{LD_LIBRARY_PATH} = "$build/unpacked/usr/lib/x86_64-linux-gnu";
	for (`ldd $from 2>/dev/null`) {
		die "image.pl: $path: $_" if /not found/;
		my ($lib) = m{(/\S+)} or next;
		copy($lib, $lib =~ s/^\Q$build\E\/unpacked//r);
	}
}

sub copy {
	my ($from, $to) = @_;
	return if -e "$root$to";
	make_path(dirname("$root$to"));
	sh('cp', '-L', $from, "$root$to");
}

# Words as of a language: few are frequent.  The alphabet of a word is the seed's.
my @words;
sub words {
	my ($count) = @_;
	if (!@words) {
		my @letters = map { chr(97 + rand 26) } 1 .. 200;
		@words = map { join '', map { $letters[rand @letters] } 0 .. 2 + rand 8 } 1 .. 20000;
	}
	return map { $words[@words * rand() ** 3] } 1 .. $count;
}

sub text {
	my ($bytes) = @_;
	my $text = '';
	$text .= join(' ', words(12)) . "\n" while length $text < $bytes;
	return $text;
}

# Of N keys, one in 15 requests is of the last half: as of entries of a service that nobody reads any more.
sub skewed { return int($_[0] * rand() ** 10) }

# By their paths: busybox's shell prefers its own of the same name.
my $shell_mark = "set -e\nmark() { echo \$1 >/marks/out; read -r go </marks/in; }\n";
my $perl_head = <<'EOF';
use strict;
use warnings;
sub mark {
	local $/ = "\n";
	open my $out, '>', '/marks/out' or die;
	print $out "$_[0]\n";
	close $out;
	open my $in, '<', '/marks/in' or die;
	<$in>;
}
EOF

sub perl {
	program('/usr/bin/perl');
	make_path("$root/usr/lib/x86_64-linux-gnu");
	sh("cp -rL /usr/lib/x86_64-linux-gnu/perl-base $root/usr/lib/x86_64-linux-gnu/");
}

# What clients send comes in three parts, of which the last one is timed.
sub client {
	my ($first, $begin, $end, $answers) = @_;
	perl();
	put('requests.0', $first);
	put('requests.1', $begin);
	put('requests.2', $end);
	put('work', "exec /usr/bin/perl /client\n");
	put('client', $perl_head . <<'EOF' . $answers);
use IO::Socket::UNIX;
my $s = IO::Socket::UNIX->new('/out/socket') or die "socket: $!\n";
$s->autoflush(1);
for my $part (0 .. 2) {
	open my $f, '<', "/requests.$part" or die;
	local $/ = "---\n";
	while (my $batch = <$f>) {
		chomp $batch;
		print $s $batch;
		answers($s, $batch);
	}
	mark($part == 1 ? 'begin' : 'end') if $part;
}
EOF
}

sub batches {
	my ($size, @lines) = @_;
	my $text = '';
	while (my @part = splice @lines, 0, $size) {
		$text .= join('', @part) . "---\n";
	}
	return $text;
}

sub value { return join(' ', words(30 + rand 200)) }

my %workloads = (
	# Random accesses to memory of which none is cold: what a refault takes.
	'price-refault' => sub {
		perl();
		put('input', text(12 << 20));
		put('work', "exec /usr/bin/perl /work.pl\n");
		put('work.pl', $perl_head . <<'EOF');
open my $f, '<', '/input' or die;
read $f, my $text, -s $f;
my $pages = int(length($text) / 4096);
srand 1;
for my $part (qw(begin end)) {
	substr($text, 4096 * int(rand $pages), 8) = 'modified' for 1 .. 20000;
	mark($part);
}
EOF
	},
	# A file that is read once: what reclaim takes for a page.
	'price-evict' => sub {
		put("input.$_", text(12 << 20)) for 0, 1;
		put('work', $shell_mark . "cat /input.0 >/dev/null\nmark begin\ncat /input.1 >/dev/null\nmark end\n");
	},
	sqlite3 => sub {
		my $rows = 20000;
		program('/usr/bin/sqlite3');
		my $sql = "pragma page_size=4096; create table t(id integer primary key, k text, n integer, v text); begin;\n";
		$sql .= sprintf "insert into t values(%d,'%s',0,'%s');\n", $_, join('', words(2)), value() for 1 .. $rows;
		$sql .= "commit; create index i on t(k);\n";
		put('fill.sql', $sql);
		sh("cd $root && sqlite3 db <fill.sql && rm fill.sql");
		my $queries = sub {
			join '', map {
				my $id = 1 + skewed($rows);
				$_ % 8 ? "select length(v),n from t where id=$id;\n"
				       : "update t set n=n+1 where id between $id and $id+3;\n" } 1 .. $_[0];
		};
		put('mark.begin', "echo begin >/marks/out; read -r go </marks/in\n");
		put('mark.end', "echo end >/marks/out; read -r go </marks/in\n");
		put('work.sql', "pragma synchronous=off;\nselect count(*), sum(length(v)) from t;\n" . $queries->(1000) .
		    ".system sh /mark.begin\n" . $queries->(6000) . ".system sh /mark.end\n");
		put('prepare', "cp /db /out/db\n");
		put('work', "exec /usr/bin/sqlite3 /out/db </work.sql\n");
	},
	memcached => sub {
		my $keys = 16000;
		program('/usr/bin/memcached');
		put('etc/passwd', "root:x:0:0:root:/:/bin/sh\n");
		put('start', "exec /usr/bin/memcached -u root -s /out/socket -t 1 -m 64\n");
		my @set = map { my $v = value(); sprintf "set key%d 0 0 %d noreply\r\n%s\r\n", $_, length $v, $v } 0 .. $keys - 1;
		my $get = sub { batches(40, map { "get key" . skewed($keys) . "\r\n" } 1 .. $_[0]) };
		client(batches(100, @set), $get->(8000), $get->(40000), <<'EOF');
sub answers {
	my ($s, $batch) = @_;
	my $gets = () = $batch =~ /^get /mg;
	local $/ = "END\r\n";
	for (1 .. $gets) {
		my $answer = <$s>;
		die "memcached: $answer" if $answer !~ /^VALUE /;
	}
}
EOF
	},
	redis => sub {
		my $keys = 16000;
		program('/usr/bin/redis-check-rdb', '/usr/bin/redis-server');
		put('start', "exec /usr/bin/redis-server --port 0 --unixsocket /out/socket --save '' --dir /out\n");
		my $request = sub { join '', '*' . @_ . "\r\n", map { '$' . length($_) . "\r\n$_\r\n" } @_ };
		my @set = map { $request->('SET', "key$_", value()) } 0 .. $keys - 1;
		my $use = sub { batches(40, map { my $k = 'key' . skewed($keys);
			$request->($_ % 10 ? ('STRLEN', $k) : ('APPEND', $k, words(1))) } 1 .. $_[0]) };
		client(batches(100, @set), $use->(8000), $use->(60000), <<'EOF');
sub answers {
	my ($s, $batch) = @_;
	my $requests = () = $batch =~ /^\*/mg;
	local $/ = "\r\n";
	for (1 .. $requests) {
		my $answer = <$s>;
		die "redis: $answer" if $answer !~ /^[+:]/;
	}
}
EOF
	},
	gcc => sub {
		program('/usr/bin/x86_64-linux-gnu-gcc-12', '/usr/bin/gcc');
		program('/usr/lib/gcc/x86_64-linux-gnu/12/cc1');
		program('/usr/bin/as');
		my $top = "$FindBin::Bin/../../..";
		my @sources = sort glob "$top/tools/memref/*/*.c $top/tools/lib/*.c";
		for my $i (reverse 1 .. $#sources) {
			my $j = int rand $i + 1;
			@sources[$i, $j] = @sources[$j, $i];
		}
		my $n = 0;
		for (@sources) {
			my $to = "$root/source$n.i";
			next if system("gcc -E -P -O2 -D_GNU_SOURCE -DVERSION='\"\"' -I$top/tools -I$top/tools/lib/include " .
				       "-I$build/tools -I$build/include \$(pkg-config --cflags libtracefs jansson) $_ -o $to 2>/dev/null && gcc -O1 -c $to -o /dev/null 2>/dev/null");
			next if -s $to < 20000 || -s $to > 70000;
			last if ++$n == 6;
		}
		die "image.pl: too few sources\n" if $n < 6;
		put('work', $shell_mark . "for n in 0 1 2; do /usr/bin/gcc -O1 -c /source\$n.i -o /out/\$n.o; done\nmark begin\n" .
		    "for n in 3 4 5; do /usr/bin/gcc -O1 -c /source\$n.i -o /out/\$n.o; done\nmark end\n");
	},
	python3 => sub {
		program('/usr/bin/python3');
		make_path("$root/usr/lib/python3.11");
		sh("cd /usr/lib/python3.11 && cp -r *.py encodings json re collections importlib $root/usr/lib/python3.11/");
		my $records = 8000;
		put('input.json', join "\n", map { sprintf '{"id":%d,"name":"%s","tags":["%s"],"text":"%s"}', $_,
			join(' ', words(2)), join('","', words(6)), join(' ', words(20)) } 0 .. $records - 1);
		put('keys', join "\n", map { skewed($records) } 1 .. 16000);
		put('work', "exec /usr/bin/python3 -S -E /work.py\n");
		put('work.py', <<'EOF');
import json

def mark(name):
    with open('/marks/out', 'w') as f:
        f.write(name + '\n')
    with open('/marks/in') as f:
        f.readline()

records = {}
for line in open('/input.json'):
    r = json.loads(line)
    r['words'] = r['text'].split()
    records[r['id']] = r
keys = [int(line) for line in open('/keys')]
first = len(keys) // 8
for part, name in (keys[:first], 'begin'), (keys[first:], 'end'):
    for key in part:
        r = records[key]
        r['hits'] = r.get('hits', 0) + 1
        r['summary'] = json.dumps({'id': r['id'], 'first': sorted(r['words'])[:5], 'tags': r['tags']})
    mark(name)
EOF
	},
	perl => sub {
		perl();
		put('input', text(1500 << 10));
		put('queries', join "\n", words(120));
		put('work', "exec /usr/bin/perl /work.pl\n");
		# An index of words, and the lines that have a word.
		put('work.pl', $perl_head . <<'EOF');
my (@lines, %at);
open my $f, '<', '/input' or die;
while (<$f>) {
	push @lines, $_;
	push @{$at{$_}}, $#lines for split;
}
open my $q, '<', '/queries' or die;
chomp(my @queries = <$q>);
my $found = 0;
sub query {
	for my $n (@{$at{$_[0]} // []}[0 .. 400]) {
		next if !defined $n;
		$found += length $lines[$n];
	}
}
for my $part (0, 1) {
	for my $round (1 .. ($part ? 60 : 4)) {
		query($queries[$_]) for $part * @queries / 2 .. ($part + 1) * @queries / 2 - 1;
	}
	mark($part ? 'end' : 'begin');
}
EOF
	},
	git => sub {
		program('/usr/bin/git');
		my $files = 120;
		my @content = map { [ map { join(' ', words(8)) . "\n" } 1 .. 150 ] } 1 .. $files;
		sh("git init -q -b main --bare $root/repo");
		open my $f, '|-', "git --git-dir=$root/repo fast-import --quiet --depth=20" or die;
		for my $commit (1 .. 500) {
			printf $f "commit refs/heads/main\ncommitter A <a\@example.org> %d +0000\ndata 2\nc\n", 1e9 + $commit;
			my @changed = $commit == 1 ? 0 .. $files - 1 : map { skewed($files) } 1 .. 3;
			for my $n (@changed) {
				my $lines = $content[$n];
				$lines->[rand @$lines] = join(' ', words(8)) . "\n" for 1 .. 6;
				my $text = join '', @$lines;
				printf $f "M 100644 inline d%d/f%d\ndata %d\n%s\n", $n % 7, $n, length $text, $text;
			}
		}
		close $f or die "image.pl: git fast-import\n";
		my $use = sub { join '', map { my $n = skewed($files);
			"/usr/bin/git log -n 40 -p -- d" . $n % 7 . "/f$n >/dev/null\n" } 1 .. $_[0] };
		put('work', $shell_mark . "export GIT_DIR=/repo HOME=/tmp GIT_PAGER=cat\n" .
		    "/usr/bin/git rev-list --objects --all >/dev/null\n" . $use->(8) . "mark begin\n" . $use->(12) . "mark end\n");
	},
	xz => sub {
		program('/usr/bin/xz');
		put("input.$_", text(512 << 10)) for 0 .. 3;
		put('work', $shell_mark . "{ cat /input.0 /input.1; mark begin; cat /input.2 /input.3; } | /usr/bin/xz -2 >/out/xz\nmark end\n");
	},
	zstd => sub {
		program('/usr/bin/zstd');
		put("input.$_", text(2 << 20)) for 0 .. 3;
		put('work', $shell_mark . "{ cat /input.0 /input.1; mark begin; cat /input.2 /input.3; } | /usr/bin/zstd -q -6 >/out/zst\nmark end\n");
	},
	sort => sub {
		program('/usr/bin/sort');
		put("input.$_", text(4 << 20)) for 0 .. 5;
		put('work', $shell_mark . "export LC_ALL=C\nfor n in 0 1; do /usr/bin/sort -o /out/\$n /input.\$n; done\nmark begin\n" .
		    "for n in 2 3 4 5; do /usr/bin/sort -o /out/\$n /input.\$n; done\nmark end\n");
	},
);

if (!@ARGV) {
	print "$_\n" for grep { !/^price-/ } sort keys %workloads;
	exit;
}
my ($dir, $seed, $image, $name) = @ARGV;
$build = $dir;
my $make = $workloads{$name // ''} or die "image.pl: no workload " . ($name // '') . "\n";
$root = tempdir(CLEANUP => 1);
srand $seed;
chmod 0755, $root;
make_path(map { "$root/$_" } qw(bin dev proc tmp out marks));
copy('/bin/busybox', '/bin/busybox');
symlink 'busybox', "$root/bin/$_" for qw(sh cat cp);
$make->();
my ($kib) = `du -sk $root` =~ /^(\d+)/;
unlink $image;
local $ENV{PATH} = "$ENV{PATH}:/usr/sbin:/sbin";
# What workloads write is as much again.
sh('mkfs.ext4', '-q', '-O', '^has_journal', '-b', 4096, '-d', $root, $image, int($kib * 2 + 16384) . 'k');
