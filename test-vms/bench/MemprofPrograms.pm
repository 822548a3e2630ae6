# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Programs that Debian ships, as they are, for memprof to look at: unpacked, not installed
# (packages.mk), with inputs that are the same each time.
package MemprofPrograms;

use strict;
use warnings;
use Exporter 'import';
use File::Copy qw(copy);

our @EXPORT = qw(prepare_programs program_names program_what program_script follow);

my ($at, $share);

sub put {
	my ($name, $text) = @_;
	open my $f, '>', "$share/$name" or die "$share/$name: $!\n";
	print $f $text;
	close $f or die "$share/$name: $!\n";
	chmod 0755, "$share/$name";
}

# Lines of a word.
sub put_words {
	my ($name, $lines) = @_;
	srand 1;
	put($name, join '', map { join('', map { chr(97 + int rand 26) } 0 .. 2 + rand 6) . "\n" } 1 .. $lines);
}

# Of other versions of Debian, other versions.
sub found {
	my ($name, @patterns) = @_;
	my ($path) = grep { -e } map { glob "$at/$_" } @patterns;
	return $path // die "memprof.pl: $name is not in $at: make programs\n";
}

# A name each: what it is, a sample each so many ops, what makes its input, what comes before a
# recording in the guest, and the command, with a prefix in $as.
my %programs = (
	stockfish => {
		what => 'C++, chess', period => 4096,
		script => sub { '$as ' . found('stockfish', 'usr/games/stockfish') . ' bench 16 4 5' },
	},
	z3 => {
		what => 'C++, a solver', period => 4096,
		make => sub {
			put('z3.smt2', "(set-logic QF_BV)(declare-const x (_ BitVec 30))(declare-const y (_ BitVec 30))\n" .
				'(assert (= (bvmul x y) #b100011111100011100101101010011))(assert (bvugt x #b' . '0' x 29 . "1))\n" .
				'(assert (bvugt y #b' . '0' x 29 . '1))(assert (bvult x #b' . '0' x 14 . '1' . '0' x 15 . "))(check-sat)\n");
		},
		script => sub { '$as ' . found('z3', 'usr/bin/z3') . ' /share/z3.smt2' },
	},
	'7zip' => {
		what => 'C++, an archiver', period => 4096, make => sub { put_words('text', 300_000) },
		script => sub { '$as ' . found('7zip', 'usr/bin/7zz') . ' a -bd -mx1 -mmt4 out.7z /share/text' },
	},
	ecj => {
		what => 'Java, a compiler', period => 8192,
		make => sub {
			copy(found('ecj', 'usr/share/java/eclipse-jdt-core-*.jar'), "$share/ecj.jar") or die "ecj: $!\n";
			put('Example.java', "import java.util.*;\npublic class Example {\n" . join('', map { my $n = $_;
				"\tstatic int f$n(List<Integer> l) { int s = $n; for (int i : l) s += i * $n; return s; }\n" } 1 .. 40) . "}\n");
		},
		script => sub { '$as ' . found('java', 'usr/lib/jvm/java-*/bin/java') . ' -XX:+UseParallelGC -Xmx128m ' .
				'-cp /share/ecj.jar org.eclipse.jdt.internal.compiler.batch.Main -proc:none -17 -d /tmp/classes /share/Example.java' },
	},
	fzf => {
		what => 'Go, a search', period => 4096, make => sub { put_words('text', 300_000) },
		script => sub { '$as ' . found('fzf', 'usr/bin/fzf') . ' --filter=abc </share/text' },
	},
	python3 => {
		what => 'Python', period => 4096,
		make => sub { put('work.py', <<'END') },
import json, random
random.seed(1)
words = [''.join(chr(97 + random.randrange(26)) for _ in range(2 + random.randrange(6))) for _ in range(3000)]
lines = [json.dumps({'id': i, 'tags': random.sample(words, 4), 'text': ' '.join(random.choices(words, k=12))}) for i in range(3000)]
index = {}
for line in lines:
    record = json.loads(line)
    for word in record['text'].split():
        index.setdefault(word, []).append(record)
best = sorted(index, key=lambda w: -len(index[w]))[:200]
print(sum(len(set(r['id'] for r in index[w])) for w in best))
END
		script => sub { '$as python3 -S -E /share/work.py' },
	},
	sqlite3 => {
		what => 'a database', period => 4096,
		make => sub { put('work.sql', <<'END') },
pragma cache_size=-8000; create table t(id integer primary key, k text, n integer, v text);
with recursive c(i) as (select 1 union all select i+1 from c where i<20000)
insert into t select i, hex(i*7919%20011), i*31%1000, hex(i) from c;
create index tk on t(k); select count(*), sum(n) from t;
select n, count(*), max(v) from t group by n order by 2 desc limit 5;
select count(*) from t a join t b on a.n=b.id where a.k<'8';
END
		script => sub { '$as sqlite3 db.sqlite </share/work.sql' },
	},
	zstd => {
		what => 'a compressor', period => 1024, make => sub { put_words('text', 300_000) },
		script => sub { '$as zstd -q -3 -T4 -B256K -f -o out /share/text' },
	},
	postgres => {
		what => 'a server that forks', period => 4096,
		make => sub {
			my $bin = found('postgres', 'usr/lib/postgresql/*/bin');
			my ($pages) = glob "$at/usr/share/postgresql/*";
			# It refuses root.
			my ($chown, $as) = $> ? ('true', '') : ("chown nobody $share/pgdata", 'setpriv --reuid=65534 --regid=65534 --clear-groups');
			system("rm -rf $share/pgdata; mkdir $share/pgdata && $chown && cd / && " .
			       "PATH=$bin:\$PATH $as initdb -D $share/pgdata -A trust -U nobody -N " .
			       "-L $pages >$share/initdb.log 2>&1 && chmod -R a+rX $share/pgdata") == 0
				or die "memprof.pl: initdb fails: see $share/initdb.log\n";
			put('postgres.sh', <<'END');
as='setpriv --reuid=65534 --regid=65534 --clear-groups'
cd /tmp
$as $bin/postgres -D /tmp/pgdata -k /tmp -h '' -c shared_buffers=16MB -c fsync=off >/tmp/pg.log 2>&1 & server=$!
until $as $bin/pg_isready -q -h /tmp; do sleep 0.1; done
$as $bin/pgbench -h /tmp -i -s 1 -q postgres >/dev/null 2>&1 && $as $bin/pgbench -h /tmp -c 4 -j 2 -t 50 postgres
status=$?
kill -INT $server
wait
exit $status
END
		},
		before => 'rm -rf /tmp/pgdata; cp -r /share/pgdata /tmp/ && chown -R nobody /tmp/pgdata && chmod 700 /tmp/pgdata',
		script => sub { 'env bin=' . found('postgres', 'usr/lib/postgresql/*/bin') . ' $as sh /share/postgres.sh' },
	},
	memcached => {
		what => 'a server with pools of its own', period => 2048,
		make => sub {
			put('memcached.sh', <<'END');
rm -f /tmp/socket
$memcached -u root -s /tmp/socket -t 4 -m 32 & server=$!
perl /share/client.pl /tmp/socket 4 1500
status=$?
kill $server
wait
exit $status
END
			put('client.pl', <<'END');
use strict;
use warnings;
use IO::Socket::UNIX;
my ($path, $clients, $requests) = @ARGV;
for my $c (1 .. $clients) {
	next if fork;
	my $s;
	for (1 .. 200) { $s = IO::Socket::UNIX->new($path) and last; select undef, undef, undef, 0.05 }
	die "$path: $!\n" if !$s;
	$s->autoflush(1);
	srand $c;
	for (1 .. $requests) {
		my $key = 'key' . int(3000 * rand() ** 2);
		if ($_ % 4) {
			print $s "get $key\r\n";
			while (<$s>) { last if /^END/ }
		} else {
			print $s "set $key 0 0 700\r\n", 'v' x 700, "\r\n";
			<$s>;
		}
	}
	exit;
}
1 while wait > 0;
END
		},
		script => sub { 'env memcached=' . found('memcached', 'usr/bin/memcached') . ' $as sh /share/memcached.sh' },
	},
);

# prepare_programs DIR SHARE NAME...: where packages are unpacked, and where inputs go.
sub prepare_programs {
	my @names;
	($at, $share, @names) = @_;
	for my $name (@names) {
		my $make = ($programs{$name} // die "memprof.pl: no program $name: @{[program_names()]}\n")->{make};
		$make->() if $make;
	}
}

sub program_names { return sort keys %programs }
sub program_what { return $programs{$_[0]}{what} }

# program_script NAME TO PREFIX FOLLOW: records it in a guest, with what follow() gives.
sub program_script {
	my ($name, $to, $as, $follow) = @_;
	my $p = $programs{$name};
	my ($run, $before) = ($p->{script}->(), $p->{before} // ':');
	my $preload = $follow ? "FOLLOW='$follow' LD_PRELOAD=/share/lib/libfollow.so " : '';
	return <<~END;
	$before || exit 1
	as='${\($as // '')}'
	${preload}memprof record -c $p->{period} -o d -- $run >out 2>err || { tail -n 30 out err >&2; exit 1; }
	grep FOLLOW err && exit 1
	cp d /share/$to && rm d
	END
}

# What only a change of the program can do.
my %changes = (
	migrate => 'when a turn begins, only the program knows',
	replicate => 'the program would have to read the copies',
	pad => 'it is in the layout of the program\'s data',
	'first-touch' => 'the program would have to divide who fills it in',
);

# What libfollow.so finds: an offset in a file, or a function in C.
my $placeable = qr/^(?:\+0x[0-9a-f]+|\w+) \([^ ():]+\)$/;

# follow FINDING: how its advice is followed with a program as it is: a prefix of its command, and
# what libfollow.so is told; or (undef, undef, why it cannot be).
sub follow {
	my ($f) = @_;
	my ($fix, $node) = @$f{qw(fix node)};
	return ('', 'stacks') if $fix eq 'pin-each-thread';
	return ("numactl --cpunodebind=$node --membind=$node") if $fix eq 'pin-process' && length $node;
	return ("numactl --cpunodebind=$node") if $fix eq 'pin-threads' && length $node;
	return (undef, undef, 'the place in the program is not known to libfollow.so')
		if $fix =~ /^(?:interleave|allocate-on-node)$/ && $f->{site} !~ $placeable;
	return ('', "interleave $f->{site}") if $fix eq 'interleave';
	if ($fix eq 'allocate-on-node') {
		return ('', "place $f->{site} $node") if length $node;
		return ('', "place $f->{site} own") if $f->{pattern} eq 'wrong-node';
		return (undef, undef, 'which thread will use it, only the program knows');
	}
	return (undef, undef, $changes{$fix} // "no way is known for $fix");
}

1;
