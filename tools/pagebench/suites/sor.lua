-- SPDX-License-Identifier: GPL-2.0-only
-- Copyright (C) 2026 the memscope authors
-- Successive over-relaxation as sor.c's, in Lua: sor.lua N, the side of the grid.
-- Measures at each request on standard input, as pagealloc-bench(1) describes.
local n = tonumber(arg[1])
local omega, sweeps = 1.25, 4

-- A solution of Laplace's equation, also of that of differences.
local function harmonic(i, j)
	return i * i - j * j + 3 * i * j + i
end

local function make()
	local g = {}
	for i = 1, n do
		local row = {}
		for j = 1, n do
			local border = i == 1 or j == 1 or i == n or j == n
			row[j] = border and harmonic(i, j) or 0.5
		end
		g[i] = row
	end
	return g
end

local function energy(g)
	local sum = 0
	for i = 2, n do
		for j = 2, n do
			local e = g[i][j] - harmonic(i, j)
			sum = sum + (e - g[i - 1][j] + harmonic(i - 1, j)) ^ 2
			sum = sum + (e - g[i][j - 1] + harmonic(i, j - 1)) ^ 2
		end
	end
	return sum
end

local function run(g)
	for _ = 1, sweeps do
		for i = 2, n - 1 do
			local up, row, down = g[i - 1], g[i], g[i + 1]
			for j = 2, n - 1 do
				row[j] = omega / 4 * (up[j] + down[j] + row[j - 1] + row[j + 1])
					+ (1 - omega) * row[j]
			end
		end
	end
end

local g = make()
local before = energy(g)
for line in io.lines() do
	local k = assert(line:match("^measure (%d+)$"), line .. ": not 'measure K'")
	run(g)
	io.write("done ", k, "\n")
	io.flush()
end
-- Each sweep makes the error's energy less.
assert(energy(g) < before, "sor.lua: the result is wrong")
