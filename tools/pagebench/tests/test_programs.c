// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The programs that are measured compute what they say, and notice when they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <stdio.h>

#include "pagebench/programs/aes.h"
/* Its transform is wanted, too. */
#include "pagebench/programs/fft.c"

static const struct kernel *const kernels[] = {
	&kernel_fft, &kernel_lu, &kernel_sor, &kernel_sparse, &kernel_montecarlo, &kernel_aes,
	&kernel_ping,
};

#define NR (sizeof(kernels) / sizeof(kernels[0]))

static void test_results(void **state)
{
	static const uint64_t sizes[] = { 256, 4096, 10000, 65536, 262144 };
	size_t i, j, k;
	void *data;

	(void)state;
	for (i = 0; i < NR; i++)
		for (j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
			for (k = 1; k < 4; k++) {
				data = kernels[i]->make(sizes[j]);
				assert_non_null(data);
				assert_true(kernels[i]->bytes(data) <= sizes[j]);
				assert_true(kernels[i]->bytes(data) >= sizes[j] / 2 - 64);
				/* Twice: what is left of the first does not matter. */
				kernels[i]->prepare(data);
				assert_int_equal(kernels[i]->run(data, 1), 0);
				kernels[i]->prepare(data);
				assert_int_equal(kernels[i]->run(data, k), 0);
				if (kernels[i]->check(data))
					fail_msg("%s, %llu bytes, %zu iterations", kernels[i]->name,
						 (unsigned long long)sizes[j], k);
				kernels[i]->free(data);
			}
}

/* A result that was not computed is wrong, but a forward and an inverse transform is not. */
static void test_no_results(void **state)
{
	size_t i;
	void *data;

	(void)state;
	for (i = 1; i < NR; i++) {
		data = kernels[i]->make(4096);
		kernels[i]->prepare(data);
		if (!kernels[i]->check(data))
			fail_msg("%s takes nothing for a result", kernels[i]->name);
		kernels[i]->free(data);
	}
}

static void test_too_small(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR; i++)
		assert_null(kernels[i]->make(0));
}

/* Against the sum that defines it. */
static void test_fft(void **state)
{
	struct fft *f = make(64 * 16);
	double x[128], real, imag, angle;
	size_t i, j;

	(void)state;
	prepare(f);
	memcpy(x, f->data, sizeof(x));
	transform(f, -1);
	for (i = 0; i < f->n; i++) {
		real = imag = 0;
		for (j = 0; j < f->n; j++) {
			angle = -2 * M_PI * (i * j % f->n) / f->n;
			real += x[2 * j] * cos(angle) - x[2 * j + 1] * sin(angle);
			imag += x[2 * j] * sin(angle) + x[2 * j + 1] * cos(angle);
		}
		assert_true(fabs(real - f->data[2 * i]) < 1e-12);
		assert_true(fabs(imag - f->data[2 * i + 1]) < 1e-12);
	}
	f->data[0] += 1e-3;
	transform(f, 1);
	for (i = 0; i < 2 * f->n; i++)
		f->data[i] /= f->n;
	assert_int_equal(check(f), -1);
	destroy(f);
}

static void hex(const char *text, uint8_t *to)
{
	unsigned int x;

	for (; *text; text += 2) {
		sscanf(text, "%2x", &x);
		*to++ = x;
	}
}

/* FIPS 197, appendices B and C.1; SP 800-38A, F.1.1. */
static void test_aes(void **state)
{
	static const char *const vectors[][3] = {
		{ "2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734",
		  "3925841d02dc09fbdc118597196a0b32" },
		{ "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
		  "69c4e0d86a7b0430d8cdb78070b4c55a" },
		{ "2b7e151628aed2a6abf7158809cf4f3c", "6bc1bee22e409f96e93d7e117393172a",
		  "3ad77bb40d7a3660a89ecaf32466ef97" },
	};
	uint8_t key[16], plain[16], cipher[16], block[16];
	struct aes a;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		hex(vectors[i][0], key);
		hex(vectors[i][1], plain);
		hex(vectors[i][2], cipher);
		aes_init(&a, key);
		memcpy(block, plain, 16);
		aes_encrypt(&a, block);
		assert_memory_equal(block, cipher, 16);
		aes_decrypt(&a, block);
		assert_memory_equal(block, plain, 16);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results), cmocka_unit_test(test_no_results),
		cmocka_unit_test(test_too_small), cmocka_unit_test(test_fft),
		cmocka_unit_test(test_aes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
