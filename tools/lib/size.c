// SPDX-License-Identifier: GPL-2.0
/* Sizes and addresses as people write them: 64M, 3G, 0x40000000. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "size.h"

/**
 * parse_size() - read a number of bytes
 * @text: digits, and at will K, M, G or T for powers of 1024, with B or iB
 * @bytes: where to put it
 *
 * Return: 0, or -1 for what is no size or too large.
 */
int parse_size(const char *text, uint64_t *bytes)
{
	unsigned int shift = 0;
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return -1;
	switch (toupper((unsigned char)*end)) {
	case 'K': shift = 10; break;
	case 'M': shift = 20; break;
	case 'G': shift = 30; break;
	case 'T': shift = 40; break;
	}
	if (shift)
		end++;
	if (*end && strcasecmp(end, "B") && !(shift && !strcasecmp(end, "iB")))
		return -1;
	if (n > UINT64_MAX >> shift)
		return -1;
	*bytes = n << shift;
	return 0;
}

/**
 * parse_address() - read a place in memory
 * @text: a size, or 0x and hexadecimal digits
 * @address: where to put it
 *
 * Return: 0, or -1 for what is neither or too large.
 */
int parse_address(const char *text, uint64_t *address)
{
	unsigned long long n;
	char *end;

	if (strncasecmp(text, "0x", 2))
		return parse_size(text, address);
	if (!isxdigit((unsigned char)text[2]))
		return -1;
	errno = 0;
	n = strtoull(text, &end, 16);
	if (errno || *end)
		return -1;
	*address = n;
	return 0;
}
