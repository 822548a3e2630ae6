// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * drive.js MODULES PAGE...: opens each page in chromium, without a network, and uses it by
 * mouse and keyboard.  Prints a line of JSON for each check: page, name, got, want.
 */
'use strict';
const fs = require('fs');
const modules = require('path').resolve(process.argv[2]);
const puppeteer = require(modules + '/puppeteer-core');
const axe = fs.readFileSync(modules + '/axe-core/axe.min.js', 'utf8');
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
let current = '';

function check(name, got, want) {
	console.log(JSON.stringify({ page: current, name: name, got: got, want: want === undefined ? true : want }));
}

/* Runs in the page: the window of time. */
const span = frame => frame.evaluate(() => {
	const root = document.documentElement;

	return [+root.getAttribute('data-from'), +root.getAttribute('data-until')];
});

async function barriers(page, theme) {
	for (const frame of page.frames()) {
		await frame.evaluate(axe);
		const found = await frame.evaluate(tags => axe.run(document, { iframes: false, runOnly: tags }), levels);

		check(`axe-core, ${theme}, ${frame === page.mainFrame() ? 'page' : 'frame'}`,
		      found.violations.map(v => v.id + ': ' + v.nodes[0].html.slice(0, 300)), []);
	}
}

/* Waits for a condition of the page, and reports whether it came true. */
async function becomes(frame, name, condition, ...values) {
	const ok = await frame.waitForFunction(condition, { timeout: 60000, polling: 50 }, ...values).then(() => true, () => false);

	check(name, ok);
}

/* A point of an element, in parts of its width and height. */
async function at(handle, x, y) {
	await handle.evaluate(e => e.scrollIntoView({ block: 'center' }));
	const box = await handle.boundingBox();

	return [box.x + box.width * x, box.y + box.height * y];
}

async function drag(page, handle, from, to) {
	await page.mouse.move(...await at(handle, ...from));
	await page.mouse.down();
	await page.mouse.move(...await at(handle, ...to), { steps: 4 });
	await page.mouse.up();
}

/* A plot over time: values under the pointer, zoom, all, and the other plots' window. */
async function timePlots(page, frame) {
	const areas = await frame.$$('figure.plot[data-plot*=\'"time":true\'] .area');
	const all = await span(frame);

	for (const [i, area] of areas.entries()) {
		const name = await area.evaluate(e => e.closest('figure').id);
		const readout = await area.evaluateHandle(e => e.parentNode.querySelector('.readout'));

		await page.mouse.move(...await at(area, 0.5, 0.4));
		await page.mouse.move(...await at(area, 0.6, 0.5));
		await becomes(frame, `${name}: the pointer shows values`, e => /\d/.test(e.textContent), readout);
		await drag(page, area, [0.4, 0.3], [0.7, 0.3]);
		await becomes(frame, `${name}: a drag zooms`, (a, b) => {
			const root = document.documentElement;

			return +root.getAttribute('data-from') > a && +root.getAttribute('data-until') < b;
		}, ...all);
		const fields = await frame.$$eval('.bar input[type=number]', list => list.map(e => +e.value));
		const now = await span(frame);
		check(`${name}: all plots have the window`, fields.map((v, k) => Math.abs(v - now[k]) < 0.001), [true, true]);
		if (i % 2)
			await page.mouse.click(...await at(area, 0.5, 0.5), { count: 2 });
		else
			await (await frame.$('.bar button:last-of-type')).click();
		await becomes(frame, `${name}: and shows all again`, (a, b) => {
			const root = document.documentElement;

			return +root.getAttribute('data-from') === a && +root.getAttribute('data-until') === b;
		}, ...all);
		/* The same by keys. */
		await area.focus();
		await page.keyboard.press('Home');
		const first = await readout.evaluate(e => e.textContent);
		await page.keyboard.press('ArrowRight');
		check(`${name}: right shows the next values`, await readout.evaluate((e, was) => e.textContent !== was && e.textContent !== '', first));
		await page.keyboard.press('+');
		check(`${name}: + zooms`, (await span(frame))[1] - (await span(frame))[0] < all[1] - all[0]);
		await page.keyboard.press('0');
		check(`${name}: 0 shows all`, await span(frame), all);
	}
	const handle = (await frame.$$('.dygraph-rangesel-zoomhandle'))[0];
	if (handle) {
		await page.mouse.move(...await at(handle, 0.5, 0.5));
		await page.mouse.down();
		const [x, y] = await at(handle, 0.5, 0.5);
		await page.mouse.move(x + 200, y, { steps: 4 });
		await page.mouse.up();
		await becomes(frame, 'the brush moves the window of all plots', a => +document.documentElement.getAttribute('data-from') > a, all[0]);
	}
	const from = await frame.$('.bar input[type=number]');
	if (from) {
		await from.evaluate(e => e.scrollIntoView({ block: 'center' }));
		await from.click({ count: 3 });
		await page.keyboard.type(String((all[0] + all[1]) / 2));
		await page.keyboard.press('Tab');
		check('a time that is typed is the window\'s', Math.abs((await span(frame))[0] - (all[0] + all[1]) / 2) < 0.001);
		/* For the frames that follow, which have the same window. */
		await (await frame.$('.bar button:last-of-type')).click();
	}
}

/* The window of time as the machine's clock has it, if the page knows when it began. */
const absolute = frame => frame.evaluate(() => {
	const root = document.documentElement, main = document.querySelector('main[data-begin]');

	return main && root.hasAttribute('data-from') &&
		['data-from', 'data-until'].map(name => +main.dataset.begin + +root.getAttribute(name));
});

/* Pages in frames: a time that is selected in one is selected in all that have it. */
async function frames(page) {
	const inner = [];

	for (const frame of page.frames().slice(1)) {
		const all = await absolute(frame);

		if (all)
			inner.push({ frame: frame, all: all });
	}
	for (const one of inner) {
		const others = inner.filter(o => o !== one);
		const areas = await one.frame.$$('figure.plot[data-plot*=\'"time":true\'] .area');
		const name = `${inner.indexOf(one)} of ${inner.length}`;

		for (const area of [areas[0], areas[areas.length - 1]]) {
			await drag(page, area, [0.5, 0.3], [0.8, 0.3]);
			await becomes(one.frame, `frame ${name}: a drag zooms`, until =>
				+document.querySelector('main').dataset.begin + +document.documentElement.dataset.until < until - 1e-9, one.all[1]);
			const [a, b] = await absolute(one.frame);
			for (const other of others) {
				/* What of it is not in the other recording is left out. */
				const here = a < other.all[1] && b > other.all[0];
				const want = here ? [Math.max(a, other.all[0]), Math.min(b, other.all[1])] : other.all;
				await becomes(other.frame, here ? 'another frame has the time, too' : 'another frame has no such time, and says so',
					(from, until, said) => {
						const root = document.documentElement, begin = +document.querySelector('main').dataset.begin;

						return Math.abs(begin + +root.dataset.from - from) < 1e-6 &&
							Math.abs(begin + +root.dataset.until - until) < 1e-6 &&
							!!document.querySelector('.bar output').textContent === said;
					}, ...want, !here);
			}
			await area.focus();
			await page.keyboard.press('0');
			for (const other of others)
				await becomes(other.frame, 'another frame shows all again', (from, until) => {
					const root = document.documentElement, begin = +document.querySelector('main').dataset.begin;

					return begin + +root.dataset.from === from && begin + +root.dataset.until === until &&
						!document.querySelector('.bar output').textContent;
				}, ...other.all);
		}
	}
}

/* A plane takes the pointer wherever it is, also one out of view, where a page draws nothing by itself. */
async function planes(frame) {
	check('each plane has its size', await frame.$$eval('.area.plane', list => list.filter(area => {
		const box = area.getBoundingClientRect(), canvas = area.querySelector('canvas').getBoundingClientRect();

		return Math.abs(box.width - canvas.width) > 1 || Math.abs(box.height - canvas.height) > 1;
	}).map(area => area.closest('figure').id)), []);
}

/* Switching a class off by the space bar takes it from the values of all plots. */
async function classes(page, frame) {
	const box = await frame.$('.bar fieldset label:nth-of-type(2) input, .live fieldset label:nth-of-type(2) input');

	if (!box)
		return;
	const label = await box.evaluate(e => e.parentNode.textContent);
	await box.focus();
	await page.keyboard.press('Space');
	check(`${label}: off`, await frame.$$eval('fieldset label', (list, text) =>
		list.filter(l => l.textContent === text && l.querySelector('input').checked).length, label), 0);
	const gone = await frame.evaluate(text => {
		const figure = [...document.querySelectorAll('figure.plot')].find(f =>
			JSON.parse(f.dataset.plot).series.some(s => s[1] === text) && f.querySelector('.area, .bars'));
		const area = figure.querySelector('.area');

		if (!area)
			return !figure.querySelector('.bars').textContent.includes(text);
		area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' }));
		return !figure.querySelector('.readout').textContent.includes(text + ' ');
	}, label);
	check(`${label}: no values of it`, gone);
	await page.keyboard.press('Space');
	check(`${label}: on again`, await box.evaluate(e => e.checked));
}

/* All rows, and rows sorted by a column; as many and as large as the CSV has. */
async function rows(page, frame) {
	for (const section of await frame.$$('section.table')) {
		const name = await section.evaluate(e => e.dataset.csv);
		const more = await section.$('button.more');
		const open = await section.evaluate(e => !e.closest('details:not([open])'));

		if (!open)
			continue;
		if (more) {
			await more.focus();
			while (!await more.evaluate(e => e.disabled))
				await page.keyboard.press('Enter');
			check(`${name}: all rows`, await section.evaluate(e => e.querySelectorAll('tbody tr').length),
			      await section.evaluate(e => e.querySelector('pre').textContent.trim().split('\n').length - 1));
		}
		const head = await section.$$('thead button');
		if (!head.length)
			continue;
		const number = await section.$$eval('thead th', list => list.findIndex(e => !e.className));
		if (number < 0)
			continue;
		await head[number].evaluate(e => e.scrollIntoView({ block: 'center' }));
		await head[number].focus();
		await page.keyboard.press('Enter');
		check(`${name}: sorted`, await section.evaluate((e, c) => {
			const summary = +e.dataset.summary;
			const values = [...e.querySelectorAll('tbody tr')].slice(summary).map(r => r.children[c].textContent)
				.filter(t => t !== '-' && isFinite(t)).map(Number);

			return e.querySelectorAll('thead th')[c].getAttribute('aria-sort') === 'descending' &&
				values.every((v, i) => !i || values[i - 1] >= v);
		}, number));
	}
}

async function themes(page) {
	const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

	await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
	await becomes(page, 'dark where the system is', () => document.documentElement.dataset.theme === 'dark');
	const dark = await background();
	await barriers(page, 'dark');
	await page.focus('.theme select');
	await page.keyboard.press('ArrowDown');
	await becomes(page, 'light by the switch', () => document.documentElement.dataset.theme === 'light');
	check('which is another color', await background() !== dark);
	for (const frame of page.frames().slice(1))
		await becomes(frame, 'and that of a page inside', () => document.documentElement.dataset.theme === 'light');
	await barriers(page, 'light');
}

async function visit(browser, file) {
	const page = await browser.newPage(), troubles = [];

	current = file;
	await page.setViewport({ width: 1200, height: 900 });
	page.on('console', m => troubles.push(m.text()));
	page.on('pageerror', e => troubles.push(e.message));
	page.on('dialog', d => { troubles.push('dialog'); d.dismiss(); });
	page.on('request', r => {
		if (!r.url().startsWith('data:') && r.url() !== 'file://' + file && r.url() !== 'about:srcdoc')
			troubles.push('request of ' + r.url());
	});
	await page.goto('file://' + file, { waitUntil: 'load' });
	check('there are plots or tables', await page.evaluate(() => !!document.querySelector('.live, table, iframe')));
	check('each plot is drawn', await page.evaluate(() =>
		[...document.querySelectorAll('figure.plot')].filter(f => !f.querySelector('canvas, .bars span')).map(f => f.id)), []);
	for (const frame of page.frames())
		await planes(frame);
	await themes(page);
	await frames(page);
	for (const frame of page.frames()) {
		await timePlots(page, frame);
		await classes(page, frame);
		await rows(page, frame);
		check('no name of the recording was run', await frame.evaluate(() => window.hostile === undefined));
	}
	check('no error, dialog or request', troubles, []);
	await page.close();

	const plain = await browser.newPage();
	await plain.setJavaScriptEnabled(false);
	await plain.goto('file://' + file, { waitUntil: 'load' });
	check('without JavaScript, pictures are seen', (await plain.$$('.static svg, .static img')).length,
	      (await plain.$$('.static > figure, .static > svg, .static > img')).length);
	await plain.close();
}

(async () => {
	const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', headless: true, protocolTimeout: 300000,
		args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND'] });

	try {
		for (const file of process.argv.slice(3))
			await visit(browser, file);
	} finally {
		await browser.close();
	}
	console.log(JSON.stringify({ end: true }));
})().catch(e => {
	console.error(e.stack);
	process.exit(1);
});
