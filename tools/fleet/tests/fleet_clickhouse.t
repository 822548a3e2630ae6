#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# memscope-fleet on two ClickHouse servers: the answers are those of the plain computation, what hostile
# hosts send changes nothing of another's, and an import that fails leaves no row that a question reads.
use strict;
use warnings;
use Encode 'decode';
use FindBin;
use HTTP::Tiny;
use IO::Socket::INET;
use JSON::PP;
use lib "$FindBin::RealBin/../../tests";
use Test::More;
use lib $FindBin::RealBin;
use Tool;
use Hosts;

# Once more, beside the servers.
my ($one, $two) = @ENV{qw(SHARD1 SHARD2)};
if (!$one) {
	my $reason = `$tools/fleet/shards.sh $build`;
	plan skip_all => $reason if $? >> 8 == 77;
	mkdir "$dir/servers";
	system("$tools/fleet/shards.sh", $build, "$dir/servers", $^X, $0);
	# What hangs and is killed is no success.
	exit($? & 127 ? 1 : $? >> 8);
}

make_hosts();

# What a statement on a server gives, by another client.
sub sql {
	my ($url, $sql) = @_;
	my ($server, $database) = $url =~ m{^(http://[^/]+)/(.*)};
	my $answer = HTTP::Tiny->new->post("$server/?database=$database", { content => $sql });
	die "$sql: $answer->{content}" if !$answer->{success};
	chomp $answer->{content};
	return $answer->{content};
}

sub import_rows {
	my ($rows, $url, $options) = @_;
	return run("$fleet import $rows --clickhouse $url -f csv " . ($options // ''));
}

# Answers that differ from those of the plain computation.
sub differences {
	my ($url) = @_;
	my @wrong;
	for my $question (qw(wss coldest cache drift drain)) {
		my ($status, $text, $err) = run("$fleet report $question --clickhouse $url -n 0 -f csv");
		push @wrong, "$question $err" if "$status $err" ne '0 ' || $text ne slurp("$answers/$question.csv");
	}
	return "@wrong";
}

# fails NAME, COMMAND, ADDRESS, WHY: exit status 1 and one line, with the address and why
sub fails {
	my ($name, $command, $address, $why) = @_;
	my ($status, $text, $err) = run("$fleet $command");
	is("$status $text", '1 ', "$name: exit status 1, no answer");
	like($err, qr{\Amemscope-fleet: \Q$address\E: $why\n\z}, "$name: one line with the address");
}

# One server.
my ($status, $text, $err) = run("$fleet create --clickhouse $one/one");
is("$status $text$err", '0 ', 'create');
($status, $text, $err) = import_rows($rows, "$one/one");
is("$status $err", '0 ', 'import');
is($text, "table,host,result,rows\nintervals,,accepted,36900\nservices,,accepted,22140\n", 'all rows are accepted');
is(differences("$one/one"), '', 'the answers are those of the plain computation');
is(sql("$one/one", 'SHOW TABLES'), "imports\nintervals\nservices", 'nothing else is left on the server');
($status, $text) = run("$fleet report drain --clickhouse $one/one -n 1 -f csv");
is($text, join('', (split /^/, slurp("$answers/drain.csv"))[0, 1]), 'the first row only');
($status, $text, $err) = run("$fleet create --clickhouse $one/one");
is("$status $err" . differences("$one/one"), '0 ', 'create again: the rows stay');

# A table over two.
for my $url ($one, $two) {
	($status, $text, $err) = run("$fleet create --clickhouse $url/both --cluster shards");
	is("$status $text$err", '0 ', 'create on a shard');
}
mkdir "$dir/$_" for qw(first second);
system("cp -r $rows/host0000* $dir/first; cp -r $rows/host000[1-4]* $dir/second");
($status, $text, $err) = import_rows("$dir/first", "$one/both");
is("$status $err", '0 ', 'import into the first');
($status, $text, $err) = import_rows("$dir/second", "$two/both");
is("$status $err", '0 ', 'and into the second');
my @parts = map { sql("$_/both", 'SELECT count(), uniqExact(host) FROM intervals_local') } $one, $two;
cmp_ok($_, '>', 0, "a shard has $_ rows") for map { /^(\d+)/ } @parts;
my ($hosts) = 0;
$hosts += (split)[1] for @parts;
is($hosts, 41, 'each host is on one shard');
is(differences("$_/both"), '', "the answers of either") for $one, $two;

# Who may only read can ask, and cannot import.  Messages are without the password.
my $reader = $one =~ s{//}{//reader:secret@}r;
is(differences("$reader/one"), '', 'the answers for a user with read access only');
fails('import by a reader', "import $rows --clickhouse $reader/one", "$one/one", 'ClickHouse: .*readonly mode.*');
fails('a wrong password', 'report wss --clickhouse ' . ($one =~ s{//}{//reader:hidden@}r) . '/one', "$one/one",
      'ClickHouse: (?!.*hidden).*[Pp]assword.*');
spew("$dir/home/.netrc", 'machine ' . ($one =~ m{//(.*):})[0] . " login reader password secret\n");
($status, $text, $err) = run("HOME=$dir/home $fleet report wss --clickhouse " . ($one =~ s{//}{//reader@}r) . '/one -n 0 -f csv');
is($text, slurp("$answers/wss.csv"), 'a password of .netrc');

# Hosts that send what they should not, each case in a database of its own.
my $nr = 0;
sub fresh {
	my $url = "$one/hostile" . $nr++;
	run("$fleet create --clickhouse $url");
	return $url;
}
for (@hostile) {
	my ($name, $intervals, $services, %want) = @$_;
	my $url = fresh();
	my ($status, $text, $err) = import_rows(hostile_host($intervals, $services), $url, '--now 1800000000000000000');
	is("$status $err", '0 ', "$name: imported");
	my %got = $text =~ /^\w+,zz,"?([^,"]+)"?,(\d+)$/mg;
	is_deeply(\%got, \%want, "$name: refused");
	like($text, qr/^intervals,,accepted,900$/m, "$name: the other host's rows are all there");
	my ($hosts) = (run("$fleet report drain --clickhouse $url -n 0 -f csv"))[1] =~ /\A.*\n((?:.*\n)*)/;
	my ($alone) = grep { /^host00000,/ } split /^/, slurp("$answers/drain.csv");
	is($hosts, $alone, "$name: and so is its answer");
}
{
	my $url = fresh();
	my ($status, $text, $err) = import_rows(strange_services(), $url);
	is("$status $err", '0 ', 'strange names: imported');
	my %seen = map { $_->{service} => 1 } @{decode_json((run("$fleet report wss --clickhouse $url -n 0 -f json"))[1])->{rows}};
	is_deeply([ grep { !$seen{decode('UTF-8', $_)} } @strange ], [], 'strange names: each is as it was');
	is(sql($url, "SELECT any(boot) FROM services WHERE host = 'zz' FORMAT TabSeparatedRaw"), "\\';--", 'and so is that of a boot');
}
{
	my $url = fresh();
	my ($status, $text, $err) = import_rows(million_services(), $url);
	is("$status $err", '0 ', 'a million services: imported');
	my %max = (run("$fleet report wss --clickhouse $url -n 0 -f csv"))[1] =~ /^([^,]+),1,\d+,\S+?,(\S+?),/mg;
	is(scalar(grep { /^service/ } keys %max), 1000, 'the 1,000 largest are kept');
	is($max{'(others)'}, sprintf('%.3f', 999_000 * 999_001 / 2 / 256), 'the others are added up');
	ok(exists $max{database} && exists $max{idle}, "the other host's services are all there");
	is(sql($url, 'SHOW TABLES'), "imports\nintervals\nservices", 'nothing else is left on the server');
}
# 4 PiB in each of 4,096 intervals are more than 64 bits.
{
	my $url = fresh();
	my $t = 1_700_000_000_000_000_000;
	my ($status, $text) = import_rows(hostile_host(join '', map { '1,zz,,' . ($t + $_) . ",1000,1,,4503599627370496,1,1,1,0,0,1,0\n" } 1 .. 4096), $url);
	($status, $text) = run("$fleet report coldest --clickhouse $url -n 0 -f csv");
	is($text =~ s/\A.*\n//r, "zz,4096,4194304.000,0.000,0.000\n", 'the sum of bytes does not overflow');
}
# Quantiles where the share of the rows is a whole number, and where it is not.
for ([ 200, 100, 198 ], [ 201, 101, 199 ], [ 1, 1, 1 ]) {
	my ($n, $median, $p99) = @$_;
	my $url = fresh();
	import_rows(hostile_host(undef, join '', map { '1,zz,,' . (1_700_000_000_000_000_000 + $_) . ",1000,1,s,1,${\(256 * $_)},0,0\n" } 1 .. $n), $url);
	my ($row) = (run("$fleet report wss --clickhouse $url -n 0 -f csv"))[1] =~ /^(s,.*)/m;
	is($row, "s,1,$n,$median.000,$p99.000,$n.000", "quantiles of $n rows");
}
# As names of databases and clusters.
{
	my ($status, $text, $err) = run("$fleet create --clickhouse '$one/we%60ird%5C%27%3B%20DROP'");
	is("$status $err", '0 ', 'a database with a strange name');
	ok((grep { $_ eq q(we`ird\\';\ DROP) =~ s/\\ / /r } split /\n/, sql("$one/one", 'SHOW DATABASES FORMAT TabSeparatedRaw')), 'it is there');
	fails('a cluster with a strange name', "create --clickhouse $one/strange --cluster 'x`, y\\'", "$one/strange", 'ClickHouse: .*not found.*');
}

# Errors.
my $free = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1');
my $away = 'http://127.0.0.1:' . $free->sockport . '/one';
close $free;
fails('a server that is away', "report wss --clickhouse $away", $away, '.*(?:refused|connect).*');
fails('import into a server that is away', "import $rows --clickhouse $away", $away, '.*(?:refused|connect).*');
fails('a database that is not there', "report wss --clickhouse $one/none", "$one/none", "ClickHouse: Database none doesn't exist \\(memscope-fleet create makes database and tables\\)");
sql("$one/one", 'CREATE DATABASE empty');
fails('a database without tables', "import $rows --clickhouse $one/empty", "$one/empty", q(ClickHouse: Table .*intervals doesn't exist.*memscope-fleet create.*));
for ([ "report wss --clickhouse $one", qr/names no database/, 1 ], [ 'report wss --clickhouse ftp://h/d', qr/not http:/, 1 ],
     [ "report wss --clickhouse $one/a/b", qr/names no database/, 1 ], [ 'report wss --clickhouse h:1/d', qr/not http:/, 1 ],
     [ "report wss $dir --clickhouse $one/one", qr/both STORE and --clickhouse/, 2 ], [ 'report wss', qr/STORE is missing/, 2 ],
     [ "import $rows -o $dir/x --clickhouse $one/one", qr/both -o and --clickhouse/, 2 ], [ 'create', qr/--clickhouse URL is missing/, 2 ]) {
	my ($command, $why, $want) = @$_;
	my ($status, $text, $err) = run("$fleet $command");
	is("$status $text", "$want ", $command);
	like($err, $why, 'says why');
}
kill STOP => $ENV{SHARD1_PID};
fails('a server that does not answer', "report wss --clickhouse $one/one --timeout 0.5", "$one/one", 'no answer within 0.5 s');
kill CONT => $ENV{SHARD1_PID};

# Servers that answer otherwise.
sub request {
	my ($client) = @_;
	my $text = '';
	while ($text !~ /\r\n\r\n/) {
		sysread($client, $text, 65536, length $text) or return;
	}
	my ($length) = $text =~ /^Content-Length: (\d+)\r$/mi;
	my $end = index($text, "\r\n\r\n") + 4;
	while (length($text) < $end + ($length // 0)) {
		sysread($client, $text, 65536, length $text) or return;
	}
	return $text;
}
# Runs a server in a process of its own; returns its URL and pid.
sub serve {
	my ($answer) = @_;
	my $listen = IO::Socket::INET->new(Listen => 16, LocalAddr => '127.0.0.1') or die;
	my $pid = fork // die;
	if (!$pid) {
		# Its parent's servers and files are not its to end.
		$SIG{TERM} = sub { kill KILL => $$ };
		for (my $n = 1;; $n++) {
			my $client = $listen->accept or next;
			my $request = request($client) // next;
			syswrite($client, $_) for grep { defined } $answer->($request, $n);
			close $client;
		}
	}
	return ('http://127.0.0.1:' . $listen->sockport . '/one', $pid);
}
sub stop { kill KILL => $_[0]; waitpid $_[0], 0 }

my $whole = '{"meta":[],"data":[["h","1",1.5,2.5]],"rows":1}';
for ([ 'an answer that is cut', "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" . substr($whole, 0, 30), 'the answer is cut' ],
     [ 'chunks that are cut', "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1e\r\n" . substr($whole, 0, 30) . "\r\n", 'the answer is cut' ],
     [ 'an answer that ends early', "HTTP/1.1 200 OK\r\n\r\n" . substr($whole, 0, 30), 'the answer is cut, or not of ClickHouse' ],
     [ 'no answer', undef, 'the answer is cut' ],
     [ 'other columns', "HTTP/1.1 200 OK\r\n\r\n" . ($whole =~ s/,2\.5//r), 'the answer is cut, or not of ClickHouse' ],
     [ 'another server', "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone", 'HTTP status 404, and not an answer of ClickHouse' ],
     [ 'control characters', "HTTP/1.1 500 No\r\n\r\nCode: 1, e.displayText() = DB::Exception: a\e[31mb\nc, e.what() = x", "ClickHouse: a\x{ef}\x{bf}\x{bd}\\[31mb c" ]) {
	my ($name, $answer, $why) = @$_;
	my ($url, $pid) = serve(sub { $answer });
	fails($name, "report cache --clickhouse $url", $url, $why);
	stop($pid);
}

# Each request of an import is lost once, before the server gets it or after it did it.
sub forward {
	my ($request) = @_;
	my ($host) = $one =~ m{//(.*)};
	my $server = IO::Socket::INET->new($host) or return;
	syswrite($server, $request =~ s/^Host: .*?\r$/Host: $host\r\nConnection: close\r/mr);
	my $answer = '';
	1 while sysread($server, $answer, 65536, length $answer);
	return $answer;
}
# Only the first import is complete.
my $first = sql("$one/one", 'SELECT import FROM imports');
sub forget_imports {
	sql("$one/one", $_) for 'DROP TABLE imports',
		'CREATE TABLE imports (import UInt64, time_ns Int64) ENGINE = MergeTree ORDER BY import',
		"INSERT INTO imports VALUES ($first, 1)";
}
my %seen;
for my $when (qw(before after)) {
	for my $lost (1 .. 20) {
		my ($url, $pid) = serve(sub {
			my ($request, $n) = @_;
			return forward($request) if $n != $lost;
			forward($request) if $when eq 'after';
			return;
		});
		my ($status, $text, $err) = import_rows("$dir/first", $url);
		stop($pid);
		my $now = sql("$one/one", 'SELECT count() FROM imports');
		$seen{$when} = $lost;
		# No answer to the last request: it is for the user to look.
		if ($err =~ s/^.*: the import is complete if the table imports has (\d+)\n//m) {
			is($now - 1, $when eq 'after' ? 1 : 0, "request $lost is lost $when: as the message says");
			is(sql("$one/one", "SELECT count() FROM imports WHERE import = $1"), $now - 1, 'it has the number');
			forget_imports();
			last;
		}
		# A table that cannot be dropped is no failure: the rows are where they belong.
		if (!$status) {
			is($now, 2, "request $lost is lost $when: imported");
			forget_imports();
			next;
		}
		is("$status $text", '1 ', "request $lost is lost $when: exit status 1");
		like($err, qr{\Amemscope-fleet: \Q$url\E: the answer is cut\n\z}, 'one line with the address');
		is($now, 1, 'no import is complete');
		is(differences("$one/one"), '', 'the answers are as they were');
	}
}
is($seen{$_}, 6, "each request is lost once, $_") for qw(before after);

# What the man page has for the rows of these.
cmp_ok(sql("$one/one", 'SELECT count() FROM intervals'), '>', 36900, 'rows of imports that failed are there');
sql("$one/one", "ALTER TABLE $_ DELETE WHERE import NOT IN (SELECT import FROM imports)") for qw(intervals services);
select undef, undef, undef, 0.05 while sql("$one/one", "SELECT count() FROM system.mutations WHERE NOT is_done");
is(sql("$one/one", 'SELECT count() FROM intervals'), 36900, 'they can be deleted');
is(differences("$one/one"), '', 'the answers are as they were');

# A shard that is away.
my $of_both = sql("$one/both", "SELECT count() FROM imports_local");
kill KILL => $ENV{SHARD2_PID};
1 while kill(0 => $ENV{SHARD2_PID}) && (slurp("/proc/$ENV{SHARD2_PID}/stat") // ") Z ") !~ /\) Z /;
fails('import without a shard', "import $rows --clickhouse $one/both", "$one/both", 'ClickHouse: .*refused.*');
fails('a question without a shard', "report wss --clickhouse $one/both", "$one/both", 'ClickHouse: .*refused.*');
is(sql("$one/both", "SELECT count() FROM imports_local"), $of_both, 'no import is complete');
done_testing;
