#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# Title: Which memory is used? A database under memref
# memory.sh DIRECTORY: records sqlite3 while it loads, indexes, queries and vacuums a table.
# DEMO_COMMAND: another command instead, on the guest's PATH; a test compares what is found
# with what that command is known to use.
set -eu -o pipefail
dir=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
memref=$MEMSCOPE_BUILD/bin/memref

cat >"$dir/database.sql" <<'SQL'
PRAGMA cache_size = -65536;
CREATE TABLE sample(id INTEGER PRIMARY KEY, grp INTEGER, val REAL, txt TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
INSERT INTO sample SELECT i, (i * 7919) % 1000, i * 0.5, printf('row %d of the sample', i) FROM n;
COMMIT;
CREATE INDEX sample_grp ON sample(grp);
SELECT grp, count(*), sum(val), max(txt) FROM sample GROUP BY grp ORDER BY 3 DESC LIMIT 3;
DELETE FROM sample WHERE grp % 2;
VACUUM;
SELECT count(*) FROM sample;
SQL
command=${DEMO_COMMAND:-sqlite3 /tmp/sample.db}
{
	echo "memref record --command-only --children --virt -i 250ms --group-size 1M -o memory.dat -- $command <database.sql"
	echo "memref plot virtual memory.dat -o memory.png"
	echo "memref report wss memory.dat"
	echo "memref html memory.dat -o memory.html"
} >"$dir/commands"

"$here/../run" --mem 1G --smp 2 --timeout 900 --share "$dir" --root host -- sh -euc "
	cd /share
	memref record --command-only --children --virt -i 250ms --group-size 1M --cpu-max 0 \
		-o memory.dat -- $command <database.sql >answers.txt"
title=${command%% *}
"$memref" plot virtual "$dir/memory.dat" --title "$title: pages referenced, by virtual address" -o "$dir/memory.png"
"$memref" report wss "$dir/memory.dat" --format json -o "$dir/wss.json"
"$memref" html "$dir/memory.dat" --title "memref: $title" -o "$dir/memory.html"
