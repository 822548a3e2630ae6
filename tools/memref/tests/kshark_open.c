// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * kshark_open FILE: opens a recording by KernelShark's library, and prints how
 * many memref_log_data events it finds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libkshark.h>

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	struct kshark_entry **entries = NULL;
	ssize_t n, i;
	long found = 0;
	int stream;

	if (argc != 2) {
		fprintf(stderr, "usage: kshark_open FILE\n");
		return 2;
	}
	if (!kshark_instance(&context))
		return 1;
	stream = kshark_open(context, argv[1]);
	if (stream < 0) {
		fprintf(stderr, "kshark_open: %s: cannot be opened\n", argv[1]);
		return 1;
	}
	n = kshark_load_entries(context, stream, &entries);
	for (i = 0; i < n; i++) {
		char *name = kshark_get_event_name(entries[i]);

		found += name && strstr(name, "memref_log_data");
		free(name);
	}
	printf("%ld\n", found);
	return n < 0;
}
