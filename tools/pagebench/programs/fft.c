// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Fast Fourier transform of complex numbers, forward and inverse, in place: radix 2,
 * decimation in time (Cooley and Tukey, 1965); the access pattern of SciMark's
 * FFT, which goes over all data with strides of every power of two.
 */
#include <math.h>
#include <stdlib.h>

#include "kernel.h"

struct fft {
	size_t n;	/* a power of two */
	double *data;	/* real, imaginary, real, ... */
};

static void *make(uint64_t size)
{
	struct fft *f = malloc(sizeof(*f));

	if (!f)
		return NULL;
	for (f->n = 1; f->n * 32 <= size; f->n *= 2)
		;
	f->data = size >= 32 ? malloc(16 * f->n) : NULL;
	if (f->data)
		return f;
	free(f);
	return NULL;
}

static uint64_t bytes(const void *data)
{
	const struct fft *f = data;

	return 16 * f->n;
}

static void prepare(void *data)
{
	struct fft *f = data;
	size_t i;

	for (i = 0; i < 2 * f->n; i++)
		f->data[i] = kernel_number(i);
}

static void swap(double *a, double *b)
{
	double x = *a;

	*a = *b;
	*b = x;
}

static void reverse_bits(struct fft *f)
{
	size_t i, j = 0, bit;

	for (i = 0; i + 1 < f->n; i++) {
		if (i < j) {
			swap(&f->data[2 * i], &f->data[2 * j]);
			swap(&f->data[2 * i + 1], &f->data[2 * j + 1]);
		}
		for (bit = f->n / 2; bit && j & bit; bit /= 2)
			j ^= bit;
		j |= bit;
	}
}

/* @sign: -1 forth, 1 back, which leaves the data @n times as large. */
static void transform(struct fft *f, int sign)
{
	size_t dual, a, b, i, j;

	reverse_bits(f);
	for (dual = 1; dual < f->n; dual *= 2) {
		double theta = sign * M_PI / dual, s = sin(theta), t = sin(theta / 2);
		double w_real = 1, w_imag = 0, s2 = 2 * t * t, next;

		for (a = 0; a < dual; a++) {
			for (b = 0; b < f->n; b += 2 * dual) {
				double *x = f->data, real, imag;

				i = 2 * (b + a);
				j = 2 * (b + a + dual);
				real = w_real * x[j] - w_imag * x[j + 1];
				imag = w_imag * x[j] + w_real * x[j + 1];
				x[j] = x[i] - real;
				x[j + 1] = x[i + 1] - imag;
				x[i] += real;
				x[i + 1] += imag;
			}
			/* The next root of unity, by a step that loses no digits. */
			next = w_real - s * w_imag - s2 * w_real;
			w_imag += s * w_real - s2 * w_imag;
			w_real = next;
		}
	}
}

static int run(void *data, uint64_t iterations)
{
	struct fft *f = data;
	size_t i;

	while (iterations--) {
		transform(f, -1);
		transform(f, 1);
		for (i = 0; i < 2 * f->n; i++)
			f->data[i] /= f->n;
	}
	return 0;
}

/* Forth and back is where it began, and Parseval's theorem holds on the way. */
static int check(void *data)
{
	struct fft *f = data;
	double error = 0, before = 0, after = 0, d;
	size_t i;

	for (i = 0; i < 2 * f->n; i++) {
		d = f->data[i] - kernel_number(i);
		error += d * d;
	}
	if (!(sqrt(error / f->n) < 1e-10))
		return -1;
	for (i = 0; i < 2 * f->n; i++)
		before += f->data[i] * f->data[i];
	transform(f, -1);
	for (i = 0; i < 2 * f->n; i++)
		after += f->data[i] * f->data[i];
	return fabs(after / f->n / before - 1) < 1e-10 ? 0 : -1;
}

static void destroy(void *data)
{
	struct fft *f = data;

	free(f->data);
	free(f);
}

const struct kernel kernel_fft = {
	"fft", "Fourier transforms, forward and inverse", make, bytes, prepare, run, check, destroy
};
