// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * What a page does beyond showing itself: plots with values under the pointer, zoom, one
 * window of time for all plots, classes switched on and off; tables with all rows, sorted
 * by any column; light and dark.
 *
 * A figure of class plot draws the CSV that the element of id data-csv contains.  Its
 * data-plot is JSON:
 *	kind	lines, stems (lines from 0), heat, points, bars
 *	x	column of the horizontal axis; width: column of the length that ends there
 *	time	true: the horizontal axis is time, which all such plots of the page share, and those
 *		of the other pages in frames beside it whose clock is the same
 *	xlabel, ylabel, unit	texts
 *	series	[column, label] each; of a heat map, what cells are the sum of; of points,
 *		[value of the column group, label]
 *	by	lines: one line for each value of this column, of the sum of the series
 *	where	[column, value]: other rows are left out
 *	scale, xscale	factors of values and of x
 *	stacked	true: lines are stacked
 *	y, size	heat: columns of address and size in KiB; place: column of the position in MiB
 *	label	bars: columns of the name; format: text with {0}, {1} in place of these
 */
(function () {
'use strict';
var doc = document, root = doc.documentElement;
var plots = [], hidden = {}, tables = {}, boxes = [];
var time = { min: Infinity, max: -Infinity, from: 0, until: 0 };
var shared = ['total', 'kernel', 'user', 'page cache', 'resident'];

function make(name, attributes, parent, text) {
	var e = doc.createElement(name), key;

	for (key in attributes || {})
		e.setAttribute(key, attributes[key]);
	if (text !== undefined)
		e.textContent = text;
	if (parent)
		parent.appendChild(e);
	return e;
}

/* RFC 4180. */
function parse(text) {
	var rows = [], row = [], i = 0, n = text.length, cell, end;

	while (i < n) {
		cell = '';
		if (text[i] === '"') {
			for (i++; ; i++) {
				end = text.indexOf('"', i);
				end = end < 0 ? n : end;
				cell += text.slice(i, end);
				i = end + 1;
				if (text[i] !== '"')
					break;
				cell += '"';
			}
		} else {
			for (end = i; end < n && text[end] !== ',' && text[end] !== '\n'; end++)
				;
			cell = text.slice(i, end);
			i = end;
		}
		row.push(cell);
		if (text[i] !== ',') {
			rows.push(row);
			row = [];
		}
		i++;
	}
	return rows;
}

/* The table of an element of the page: names, rows, and columns as numbers. */
function table(id) {
	var e = doc.getElementById(id), rows;

	if (!tables[id] && e) {
		rows = parse(e.textContent);
		tables[id] = { names: rows.shift() || [], rows: rows };
	}
	return tables[id];
}

function column(t, rows, name) {
	var c = t.names.indexOf(name);

	return rows.map(function (row) {
		return c < 0 || row[c] === '' ? NaN : +row[c];
	});
}

/* The rows that a plot is of. */
function rowsOf(spec, t, summary) {
	var c = spec.where ? t.names.indexOf(spec.where[0]) : -1;

	return t.rows.slice(0, t.rows.length - summary).filter(function (row) {
		return c < 0 || row[c] === spec.where[1];
	});
}

function css(name) {
	return getComputedStyle(root).getPropertyValue(name).trim();
}

function color(label, index) {
	return css(shared.indexOf(label) >= 0 ? '--' + label.replace(' ', '-') : '--s' + index % 8);
}

function number(value) {
	return isFinite(value) ? String(+value.toPrecision(6)) : 'unknown';
}

/* ----- time: one window for all plots ----- */

var from, until, outside, changing = false;
var begin = parseFloat((doc.querySelector('main[data-begin]') || root).getAttribute('data-begin'));

/* @remote: by the page around this one, which knows of it */
function setTime(a, b, remote) {
	var least = (time.max - time.min) / 5000, was = [time.from, time.until];

	if (changing || !isFinite(a) || !isFinite(b))
		return;
	a = Math.max(time.min, Math.min(a, time.max - least));
	b = Math.min(time.max, Math.max(b, a + least));
	time.from = a;
	time.until = b;
	if (from) {
		from.value = +a.toFixed(3);
		until.value = +b.toFixed(3);
	}
	root.setAttribute('data-from', a);
	root.setAttribute('data-until', b);
	changing = true;
	plots.forEach(function (p) {
		if (p.spec.time)
			p.window(a, b);
	});
	changing = false;
	if (remote || (a === was[0] && b === was[1]))
		return;
	outside.textContent = '';
	if (isFinite(begin) && window.parent !== window)
		window.parent.postMessage({ span: a === time.min && b === time.max ? null : [begin + a, begin + b] }, '*');
}

/* The window of another recording's plots, in seconds of CLOCK_MONOTONIC; null: all is shown. */
function takeTime(span) {
	var a = span && span[0] - begin, b = span && span[1] - begin;
	var here = !span || (a < time.max && b > time.min);

	if (!isFinite(begin) || !outside)
		return;
	setTime(span && here ? a : time.min, span && here ? b : time.max, true);
	outside.textContent = here ? '' : 'The time that is selected in another recording is not in this one.';
}

function zoomTime(factor, at) {
	var a = time.from, b = time.until;

	at = at === undefined ? (a + b) / 2 : at;
	setTime(at - (at - a) * factor, at + (b - at) * factor);
}

function pointAt(x) {
	plots.forEach(function (p) {
		if (p.spec.time && p.point)
			p.point(x);
	});
}

/* ----- what plots have in common ----- */

function isHidden(label) {
	return !!hidden[label];
}

function show(label, on) {
	hidden[label] = !on;
	boxes.forEach(function (b) {
		if (b.label === label)
			b.box.checked = on;
	});
	plots.forEach(function (p) {
		p.redraw();
	});
}

function addBoxes(parent, legend, labels) {
	var set = make('fieldset', {}, parent);

	make('legend', {}, set, legend);
	labels.forEach(function (label, i) {
		var line = make('label', {}, set), box = make('input', { type: 'checkbox' }, line);
		var swatch = make('span', { 'class': 'swatch' }, line);

		box.checked = !isHidden(label);
		line.appendChild(doc.createTextNode(label));
		box.addEventListener('change', function () {
			show(label, box.checked);
		});
		boxes.push({ label: label, box: box, swatch: swatch, index: i });
	});
}

function colorBoxes() {
	boxes.forEach(function (b) {
		b.swatch.style.background = color(b.label, b.index);
	});
}

function labelsOf(spec) {
	return spec.series.map(function (s) {
		return s[1];
	});
}

/* The part of a figure that reacts: drawing area, values, classes of this plot alone. */
function prepare(figure, spec, kind) {
	var live = make('div', { 'class': 'live' });
	var own = labelsOf(spec).filter(function (label) {
		return shared.indexOf(label) < 0;
	});
	var p = { spec: spec, live: live, figure: figure };

	p.area = make('div', { 'class': 'area ' + kind, tabindex: '0', role: 'group',
		'aria-label': figure.getAttribute('aria-label') +
			': left and right move through the values, + and - zoom, 0 shows all' }, live);
	p.readout = make('output', { 'class': 'readout' }, live);
	if (own.length > 1)
		addBoxes(live, 'show', own);
	figure.insertBefore(live, figure.firstChild);
	return p;
}

/* Keys of a plot; @p has step(n) and edge(last), and window() or zoom(). */
function keys(p) {
	p.area.addEventListener('keydown', function (event) {
		var used = true;

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		switch (event.key) {
		case 'ArrowLeft': p.step(-1); break;
		case 'ArrowRight': p.step(1); break;
		case 'Home': p.edge(false); break;
		case 'End': p.edge(true); break;
		case '+': case '=': p.zoom(0.5); break;
		case '-': p.zoom(2); break;
		case '0': case 'Escape': p.all(); break;
		default: used = false;
		}
		if (used)
			event.preventDefault();
	});
}

/* ----- lines, by dygraphs ----- */

function lineData(p) {
	var spec = p.spec, x = p.x, by = {}, order, i;

	if (!spec.by) {
		p.labels = labelsOf(spec);
		return x.map(function (at, i) {
			return [at].concat(p.values.map(function (v) {
				return isNaN(v[i]) ? null : v[i];
			}));
		});
	}
	/* One line for each value of a column. */
	p.labels = [];
	order = {};
	for (i = 0; i < x.length; i++) {
		var name = spec.by + ' ' + p.by[i], sum = 0;

		if (p.labels.indexOf(name) < 0)
			p.labels.push(name);
		spec.series.forEach(function (s, k) {
			sum += isHidden(s[1]) || isNaN(p.values[k][i]) ? 0 : p.values[k][i];
		});
		by[x[i]] = by[x[i]] || {};
		by[x[i]][name] = sum;
		order[x[i]] = x[i];
	}
	p.labels.sort();
	return Object.keys(by).map(Number).sort(function (a, b) { return a - b; }).map(function (at) {
		return [at].concat(p.labels.map(function (name) {
			var v = by[at][name];

			return v === undefined ? null : v;
		}));
	});
}

function stems(e) {
	var ctx = e.drawingContext, area = e.plotArea, zero = e.dygraph.toDomYCoord(0);

	ctx.strokeStyle = e.color;
	ctx.lineWidth = Math.max(1, Math.min(6, area.w / e.points.length / 2));
	e.points.forEach(function (point) {
		ctx.beginPath();
		ctx.moveTo(point.canvasx, point.canvasy);
		ctx.lineTo(point.canvasx, zero);
		ctx.stroke();
	});
}

function lineColors(p) {
	return p.labels.map(function (label, i) {
		return color(label, i);
	});
}

function lines(figure, spec, t, summary) {
	var p = prepare(figure, spec, 'lines'), rows = rowsOf(spec, t, summary), scale = spec.scale || 1, first, c;

	p.x = column(t, rows, spec.x).map(function (x) { return x * (spec.xscale || 1); });
	p.values = spec.series.map(function (s) {
		return column(t, rows, s[0]).map(function (v) { return v * scale; });
	});
	c = spec.by ? t.names.indexOf(spec.by) : -1;
	p.by = rows.map(function (row) { return row[c]; });
	p.data = lineData(p);
	if (!p.data.length)
		return null;
	p.min = spec.time ? Math.min(0, p.data[0][0]) : p.data[0][0];
	p.max = p.data[p.data.length - 1][0];
	p.row = -1;

	p.point = function (x) {
		var best = -1;

		p.data.forEach(function (d, i) {
			if (best < 0 || Math.abs(d[0] - x) < Math.abs(p.data[best][0] - x))
				best = i;
		});
		p.select(best);
	};
	p.select = function (row) {
		var d = p.data[row], parts = [];

		p.row = row;
		p.labels.forEach(function (label, i) {
			if (spec.by || !isHidden(label))
				parts.push(label + ' ' + (d[i + 1] === null ? 'unknown' : number(d[i + 1])));
		});
		p.readout.textContent = number(d[0]) + (spec.time ? ' s: ' : ' ' + (spec.xunit || '') + ': ') +
			parts.join(', ') + ' ' + (spec.unit || '');
		p.g.setSelection(row);
	};
	p.step = function (n) {
		var row = Math.max(0, Math.min(p.data.length - 1, p.row + n));

		if (spec.time)
			pointAt(p.data[row][0]);
		p.select(row);
	};
	p.edge = function (last) {
		p.row = last ? p.data.length - 2 : 1;
		p.step(last ? 1 : -1);
	};
	p.zoom = function (factor) {
		var range = p.g.xAxisRange(), at = p.row < 0 ? (range[0] + range[1]) / 2 : p.data[p.row][0];

		at = Math.max(range[0], Math.min(range[1], at));
		if (spec.time)
			zoomTime(factor, at);
		else
			p.window(Math.max(p.min, at - (at - range[0]) * factor), Math.min(p.max, at + (range[1] - at) * factor));
	};
	p.all = function () {
		if (spec.time)
			setTime(time.min, time.max);
		else
			p.window(p.min, p.max);
		p.g.updateOptions({ valueRange: null });
	};
	p.window = function (a, b) {
		p.g.updateOptions({ dateWindow: [a, b] });
	};
	p.redraw = function () {
		var options = { colors: lineColors(p), axisLineColor: css('--line'), gridLineColor: css('--grid'),
			rangeSelectorPlotStrokeColor: css('--found'), rangeSelectorPlotFillColor: css('--found') };

		if (spec.by) {
			p.data = lineData(p);
			options.file = p.data;
		} else {
			options.visibility = p.labels.map(function (label) { return !isHidden(label); });
		}
		if (!p.g)
			return;
		changing = true;
		p.g.updateOptions(options);
		changing = false;
	};
	first = spec.time && !plots.some(function (q) { return q.spec.time && q.spec.kind === 'lines'; });
	p.start = function () {
		var options = {
			labels: ['x'].concat(p.labels), legend: 'never', stackedGraph: !!spec.stacked,
			includeZero: true, xlabel: spec.xlabel, ylabel: spec.ylabel, rightGap: 12,
			drawPoints: p.data.length < 150, pointSize: 2, strokeWidth: 2, highlightCircleSize: 4,
			showRangeSelector: first, rangeSelectorHeight: 36, xRangePad: 0,
			dateWindow: [p.min, p.max], colors: lineColors(p),
			axes: { x: { valueFormatter: number }, y: { axisLabelWidth: 110 } },
			highlightCallback: function (event, x) {
				if (spec.time)
					pointAt(x);
				else
					p.point(x);
			},
			drawCallback: function (g, initial) {
				var range = g.xAxisRange();

				if (initial || !spec.time || changing)
					return;
				if (!g.isZoomed('x'))
					setTime(time.min, time.max);
				else if (range[0] !== time.from || range[1] !== time.until)
					setTime(range[0], range[1]);
			},
		};

		/* With a range selector, a drag would move the window. */
		options.interactionModel = Dygraph.defaultInteractionModel;
		if (spec.kind === 'stems')
			options.plotter = stems;
		p.g = new Dygraph(p.area, p.data, options);
		/* Handles of the range selector: the fields above the plots do what they do. */
		p.area.querySelectorAll('img').forEach(function (image) { image.alt = ''; });
		p.redraw();
	};
	keys(p);
	return p;
}

/* ----- planes: heat maps and points, on a canvas ----- */

var margin = { left: 116, right: 12, top: 8, bottom: 44 };
var viridis = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

function heatColor(share) {
	var at = Math.max(0, Math.min(1, share)) * (viridis.length - 1), i = Math.min(viridis.length - 2, Math.floor(at));

	return 'rgb(' + viridis[i].map(function (c, k) {
		return Math.round(c + (viridis[i + 1][k] - c) * (at - i));
	}).join(',') + ')';
}

/* About n round values between two. */
function ticks(a, b, n) {
	var step = Math.pow(10, Math.floor(Math.log10((b - a) / n))), out = [], v;

	step *= (b - a) / n / step >= 5 ? 5 : (b - a) / n / step >= 2 ? 2 : 1;
	for (v = Math.ceil(a / step) * step; v <= b && out.length < 50; v += step)
		out.push(v);
	return out;
}

function plane(figure, spec, p) {
	var canvas = make('canvas', { 'aria-hidden': 'true' }, p.area), ctx = canvas.getContext('2d');
	var drag = null, w = 0, h = 0, queued = false;

	p.from = p.min;
	p.until = p.max;
	p.low = p.ymin;
	p.high = p.ymax;
	p.row = -1;

	function px(x) { return margin.left + (x - p.from) / (p.until - p.from || 1) * w; }
	function py(y) { return margin.top + h - (y - p.low) / (p.high - p.low || 1) * h; }
	function dataX(x) { return p.from + (x - margin.left) / w * (p.until - p.from); }
	function dataY(y) { return p.low + (margin.top + h - y) / h * (p.high - p.low); }

	function axes() {
		var last = Infinity;

		ctx.fillStyle = css('--fg');
		ctx.strokeStyle = css('--line');
		ctx.lineWidth = 1;
		ctx.font = '13px sans-serif';
		ctx.strokeRect(margin.left, margin.top, w, h);
		ctx.textAlign = 'center';
		ticks(p.from, p.until, 8).forEach(function (x) {
			ctx.fillText(number(x), px(x), margin.top + h + 16);
		});
		ctx.fillText(spec.xlabel || '', margin.left + w / 2, margin.top + h + 34);
		ctx.textAlign = 'right';
		p.marks(p.low, p.high).forEach(function (mark) {
			var y = py(mark[0]);

			if (last - y < 15)
				return;
			last = y;
			ctx.fillText(mark[1], margin.left - 5, Math.min(margin.top + h, y + 4));
		});
		ctx.save();
		ctx.translate(12, margin.top + h / 2);
		ctx.rotate(-Math.PI / 2);
		ctx.textAlign = 'center';
		ctx.fillText(spec.ylabel || '', 0, 0);
		ctx.restore();
	}

	/* Gives the canvas the size of its area; returns whether that has one. */
	function resize() {
		var ratio = window.devicePixelRatio || 1, width = p.area.clientWidth, height = p.area.clientHeight;

		if (!width)
			return false;
		canvas.width = width * ratio;
		canvas.height = height * ratio;
		canvas.style.width = width + 'px';
		canvas.style.height = height + 'px';
		w = width - margin.left - margin.right;
		h = height - margin.top - margin.bottom;
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		return true;
	}

	/* The canvas is empty after resize(). */
	function draw() {
		queued = false;
		if (!resize())
			return;
		ctx.save();
		ctx.beginPath();
		ctx.rect(margin.left, margin.top, w, h);
		ctx.clip();
		p.paint(ctx, px, py);
		if (p.cross !== undefined) {
			ctx.fillStyle = css('--fg');
			ctx.fillRect(px(p.cross), margin.top, 1, h);
		}
		if (drag) {
			ctx.fillStyle = 'rgba(128, 128, 128, 0.4)';
			ctx.fillRect(drag.x, drag.wide ? margin.top : drag.y, drag.nowX - drag.x, drag.wide ? h : drag.nowY - drag.y);
		}
		ctx.restore();
		axes();
	}

	p.redraw = function () {
		if (!queued)
			requestAnimationFrame(draw);
		queued = true;
	};
	p.window = function (a, b) {
		p.from = a;
		p.until = b;
		p.redraw();
	};
	p.point = function (x) {
		p.cross = x;
		p.redraw();
	};
	function setX(a, b) {
		if (spec.time)
			setTime(a, b);
		else
			p.window(Math.max(p.min, a), Math.min(p.max, b));
	}
	p.zoom = function (factor) {
		var at = p.cross === undefined ? (p.from + p.until) / 2 : Math.max(p.from, Math.min(p.until, p.cross));

		setX(at - (at - p.from) * factor, at + (p.until - at) * factor);
	};
	p.all = function () {
		p.low = p.ymin;
		p.high = p.ymax;
		setX(spec.time ? time.min : p.min, spec.time ? time.max : p.max);
		p.redraw();
	};
	p.step = function (n) {
		p.row = Math.max(0, Math.min(p.count - 1, p.row + n));
		p.readout.textContent = p.text(p.row);
		p.cross = p.xOf(p.row);
		p.redraw();
	};
	p.edge = function (last) {
		p.row = last ? p.count - 1 : 0;
		p.step(0);
	};

	function at(event) {
		var box = canvas.getBoundingClientRect();

		return { x: event.clientX - box.left, y: event.clientY - box.top };
	}
	canvas.addEventListener('pointerdown', function (event) {
		var e = at(event);

		drag = { x: e.x, y: e.y, nowX: e.x, nowY: e.y, wide: true };
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener('pointermove', function (event) {
		var e = at(event), i;

		if (drag) {
			drag.nowX = e.x;
			drag.nowY = e.y;
			/* A flat drag is of time alone. */
			drag.wide = Math.abs(e.y - drag.y) < 12;
			p.redraw();
			return;
		}
		if (e.x < margin.left || e.x > margin.left + w)
			return;
		i = p.find(dataX(e.x), dataY(e.y), (p.until - p.from) / w, (p.high - p.low) / h);
		if (spec.time)
			pointAt(dataX(e.x));
		p.point(dataX(e.x));
		p.readout.textContent = i < 0 ? number(dataX(e.x)) + (spec.time ? ' s: nothing here' : ': nothing here') : p.text(i);
		if (i >= 0)
			p.row = i;
	});
	canvas.addEventListener('pointerup', function (event) {
		var d = drag, e = at(event);

		drag = null;
		if (!d || (Math.abs(e.x - d.x) < 4 && Math.abs(e.y - d.y) < 12)) {
			p.redraw();
			return;
		}
		if (!d.wide) {
			var y0 = dataY(Math.max(e.y, d.y)), y1 = dataY(Math.min(e.y, d.y));

			p.low = Math.max(p.ymin, y0);
			p.high = Math.min(p.ymax, y1);
		}
		if (Math.abs(e.x - d.x) >= 4)
			setX(dataX(Math.min(e.x, d.x)), dataX(Math.max(e.x, d.x)));
		p.redraw();
	});
	canvas.addEventListener('dblclick', p.all);
	if (window.ResizeObserver)
		new ResizeObserver(p.redraw).observe(p.area);
	keys(p);
	/* The canvas takes the pointer where it has its size: at once, as a page out of view has no animation frames. */
	p.start = function () {
		resize();
		p.redraw();
	};
	return p;
}

/* Positions of addresses on an axis that leaves out gaps; in KiB. */
function placesOf(addresses, sizes) {
	var order = addresses.map(function (a, i) { return i; }), place = [], end = -1, at = 0, i, gap;

	order.sort(function (a, b) { return addresses[a] - addresses[b]; });
	order.forEach(function (k) {
		gap = end < 0 ? 0 : (addresses[k] - end) / 1024;
		if (gap > 0)
			at += Math.min(gap, 2 * sizes[k]);
		if (addresses[k] + sizes[k] * 1024 > end) {
			place[k] = at - (end > addresses[k] ? (end - addresses[k]) / 1024 : 0);
			at = place[k] + sizes[k];
			end = addresses[k] + sizes[k] * 1024;
		} else {
			place[k] = at - (end - addresses[k]) / 1024;
		}
	});
	return place;
}

function addressText(address) {
	return '0x' + address.toString(16);
}

function heat(figure, spec, t, summary) {
	var p = prepare(figure, spec, 'plane'), rows = rowsOf(spec, t, summary), legend, largest;
	var x1 = column(t, rows, spec.x), width = column(t, rows, spec.width), address = column(t, rows, spec.y);
	var size = column(t, rows, spec.size), place, sums = [], max = 0;
	var values = spec.series.map(function (s) { return column(t, rows, s[0]); });

	if (!rows.length)
		return null;
	place = spec.place ? column(t, rows, spec.place).map(function (v) { return v * 1024; }) : placesOf(address, size);
	p.count = rows.length;
	p.min = Infinity;
	p.max = p.ymax = -Infinity;
	p.ymin = Infinity;
	rows.forEach(function (row, i) {
		p.min = Math.min(p.min, x1[i] - width[i]);
		p.max = Math.max(p.max, x1[i]);
		p.ymin = Math.min(p.ymin, place[i]);
		p.ymax = Math.max(p.ymax, place[i] + size[i]);
	});
	function add() {
		max = 0;
		rows.forEach(function (row, i) {
			sums[i] = 0;
			spec.series.forEach(function (s, k) {
				sums[i] += isHidden(s[1]) || isNaN(values[k][i]) ? 0 : values[k][i];
			});
			max = Math.max(max, sums[i]);
		});
		if (largest)
			largest.textContent = number(max) + ' ' + spec.unit + ' (logarithmic)';
	}
	/* Where areas begin: the others are between gaps. */
	var starts = [], seen = {};
	rows.forEach(function (row, i) {
		if (!seen[place[i]])
			starts.push(i);
		seen[place[i]] = true;
	});
	starts.sort(function (a, b) { return place[a] - place[b]; });
	p.marks = function (low, high) {
		return starts.filter(function (i) {
			return place[i] >= low && place[i] <= high;
		}).map(function (i) {
			return [place[i], spec.place ? addressText(address[i]).slice(0, -5) + '\u2026' :
				number(+(address[i] / 1073741824).toFixed(3)) + ' GiB'];
		});
	};
	p.paint = function (ctx, px, py) {
		var i, l, top;

		for (i = 0; i < p.count; i++) {
			if (!sums[i] || x1[i] < p.from || x1[i] - width[i] > p.until)
				continue;
			l = px(x1[i] - width[i]);
			top = py(place[i] + size[i]);
			ctx.fillStyle = heatColor(Math.log(1 + sums[i]) / Math.log(1 + max));
			ctx.fillRect(l, top, Math.max(1, px(x1[i]) - l + 0.5), Math.max(1, py(place[i]) - top + 0.5));
		}
	};
	p.find = function (x, y) {
		var i;

		for (i = 0; i < p.count; i++)
			if (sums[i] && x > x1[i] - width[i] && x <= x1[i] && y >= place[i] && y < place[i] + size[i])
				return i;
		return -1;
	};
	p.xOf = function (i) {
		return x1[i] - width[i] / 2;
	};
	p.text = function (i) {
		var parts = [];

		spec.series.forEach(function (s, k) {
			if (!isHidden(s[1]))
				parts.push(s[1] + ' ' + number(values[k][i]));
		});
		return number(x1[i]) + ' s, ' + addressText(address[i]) + ', ' + number(size[i]) + ' KiB: ' + parts.join(', ') +
			' ' + spec.unit;
	};
	legend = make('div', {}, p.live, '0');
	make('span', { 'class': 'scale' }, legend);
	largest = make('span', {}, legend);
	plane(figure, spec, p);
	var redraw = p.redraw;
	p.redraw = function () {
		add();
		redraw();
	};
	add();
	return p;
}

function points(figure, spec, t, summary) {
	var p = prepare(figure, spec, 'plane'), rows = rowsOf(spec, t, summary);
	var x = column(t, rows, spec.x), y = column(t, rows, spec.y), c = t.names.indexOf(spec.group);
	var group = rows.map(function (row) {
		var found = -1;

		spec.series.forEach(function (s, k) {
			if (s[0] === row[c])
				found = k;
		});
		return found;
	});

	if (!rows.length)
		return null;
	p.count = rows.length;
	p.min = p.ymin = Infinity;
	p.max = p.ymax = -Infinity;
	rows.forEach(function (row, i) {
		p.min = Math.min(p.min, x[i]);
		p.max = Math.max(p.max, x[i]);
		p.ymin = Math.min(p.ymin, y[i]);
		p.ymax = Math.max(p.ymax, y[i]);
	});
	p.ymax = p.ymax > p.ymin ? p.ymax : p.ymin + 1;
	p.marks = function (low, high) {
		return ticks(low, high, 8).map(function (v) { return [v, number(v)]; });
	};
	function visible(i) {
		return group[i] >= 0 && !isHidden(spec.series[group[i]][1]);
	}
	p.paint = function (ctx, px, py) {
		var colors = spec.series.map(function (s, k) { return color(s[1], k); }), i;

		for (i = 0; i < p.count; i++) {
			if (!visible(i))
				continue;
			ctx.fillStyle = colors[group[i]];
			ctx.fillRect(px(x[i]) - 1.5, py(y[i]) - 1.5, 3, 3);
		}
	};
	/* The nearest within six pixels. */
	p.find = function (atX, atY, perX, perY) {
		var best = -1, least = 36, i, d;

		for (i = 0; i < p.count; i++) {
			if (!visible(i))
				continue;
			d = Math.pow((x[i] - atX) / perX, 2) + Math.pow((y[i] - atY) / perY, 2);
			if (d < least) {
				least = d;
				best = i;
			}
		}
		return best;
	};
	p.xOf = function (i) { return x[i]; };
	p.text = function (i) {
		return t.names.map(function (name, k) {
			return name + ' ' + (rows[i][k] === '' ? '-' : rows[i][k]);
		}).join(', ');
	};
	return plane(figure, spec, p);
}

/* ----- bars ----- */

function bars(figure, spec, t, summary) {
	var live = make('div', { 'class': 'live' }), rows = rowsOf(spec, t, summary).slice(0, 30), grid, max = 0;
	var values = spec.series.map(function (s) { return column(t, rows, s[0]); });
	var names = rows.map(function (row) {
		var parts = spec.label.map(function (name) { return row[t.names.indexOf(name)]; });

		return (spec.format || '{0}').replace(/\{(\d)\}/g, function (all, n) { return parts[n]; });
	});
	var p = { spec: spec, live: live, figure: figure };

	if (!rows.length)
		return null;
	if (spec.series.length > 1)
		addBoxes(live, 'show', labelsOf(spec));
	values.forEach(function (v) {
		v.forEach(function (x) { max = Math.max(max, x || 0); });
	});
	grid = make('div', { 'class': 'bars' }, live);
	p.redraw = function () {
		grid.textContent = '';
		rows.forEach(function (row, i) {
			spec.series.forEach(function (s, k) {
				var text = number(values[k][i]) + ' ' + spec.unit, beam;

				if (isHidden(s[1]))
					return;
				make('span', { 'class': 'name' }, grid, names[i] + (spec.series.length > 1 ? ', ' + s[1] : ''));
				beam = make('span', { 'class': 'beam', title: names[i] + ', ' + s[1] + ': ' + text }, grid);
				beam.style.width = (max ? 100 * (values[k][i] || 0) / max : 0) + '%';
				beam.style.background = color(s[1], k);
				make('span', { 'class': 'value' }, grid, text);
			});
		});
	};
	figure.insertBefore(live, figure.firstChild);
	p.start = p.redraw;
	return p;
}

/* ----- tables ----- */

function numeric(text) {
	return text !== '' && isFinite(+text);
}

function compare(a, b) {
	return numeric(a) && numeric(b) ? a - b : numeric(a) ? 1 : numeric(b) ? -1 : a < b ? -1 : a > b ? 1 : 0;
}

function rowsOfPage(section) {
	var t = table(section.getAttribute('data-csv')), summary = +section.getAttribute('data-summary');
	var shown = +section.getAttribute('data-shown'), body = section.querySelector('tbody');
	var heads = section.querySelectorAll('thead th'), last, rest, more, sorted = -1, up = false;

	if (!t || !body || !t.rows.length)
		return;
	last = t.rows.slice(t.rows.length - summary);
	rest = t.rows.slice(0, t.rows.length - summary);

	function render() {
		body.textContent = '';
		last.concat(rest.slice(0, shown)).forEach(function (row) {
			var tr = make('tr', {}, body);

			row.forEach(function (cell, c) {
				make('td', heads[c] && heads[c].className ? { 'class': 'text' } : {}, tr,
				     cell === '' && !(heads[c] && heads[c].className) ? '-' : cell);
			});
		});
		if (more)
			more.textContent = shown >= rest.length ? 'all ' + rest.length + ' rows are shown' :
				'Show ' + (rest.length - shown > 2000 ? '2000 more' : 'all') + ' of ' + rest.length + ' rows';
		if (more)
			more.disabled = shown >= rest.length;
		section.querySelectorAll('.note').forEach(function (note) {
			if (!note.querySelector('code'))
				note.hidden = true;
		});
	}
	heads.forEach(function (th, c) {
		var button = make('button', { type: 'button' }, null, th.textContent);

		th.textContent = '';
		th.appendChild(button);
		button.addEventListener('click', function () {
			up = sorted === c ? !up : false;
			sorted = c;
			heads.forEach(function (other) { other.removeAttribute('aria-sort'); });
			th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
			rest.sort(function (a, b) { return (up ? 1 : -1) * compare(a[c], b[c]); });
			render();
		});
	});
	if (rest.length > shown) {
		more = make('button', { type: 'button', 'class': 'more' }, null,
			    'Show ' + (rest.length - shown > 2000 ? '2000 more' : 'all') + ' of ' + rest.length + ' rows');
		section.insertBefore(more, section.querySelector('details'));
		more.addEventListener('click', function () {
			shown = Math.min(rest.length, shown + 2000);
			render();
		});
	}
}

/* ----- pages in frames: one window of time for all that have the same clock ----- */

function onMessage(handle) {
	window.addEventListener('message', function (event) {
		if (event.data)
			handle(event.data, event.source);
	});
}

function shareTime() {
	var frames = [].slice.call(doc.querySelectorAll('iframe[data-clock="monotonic"]')), chosen = null;

	onMessage(function (data, source) {
		if (data.span !== null && !(Array.isArray(data.span) && data.span.length === 2 && data.span.every(isFinite)))
			return;
		if (source === window.parent && window.parent !== window) {
			takeTime(data.span);
			return;
		}
		if (!frames.some(function (frame) { return frame.contentWindow === source; }))
			return;
		chosen = data.span;
		frames.forEach(function (frame) {
			if (frame.contentWindow !== source)
				frame.contentWindow.postMessage({ span: chosen }, '*');
		});
	});
	frames.forEach(function (frame) {
		frame.addEventListener('load', function () {
			frame.contentWindow.postMessage({ span: chosen }, '*');
		});
	});
}

/* ----- light and dark ----- */

var dark = window.matchMedia && matchMedia('(prefers-color-scheme: dark)'), theme = 'system';

function setTheme(name) {
	theme = name;
	root.setAttribute('data-theme', name === 'system' ? (dark && dark.matches ? 'dark' : 'light') : name);
	colorBoxes();
	plots.forEach(function (p) { p.redraw(); });
	doc.querySelectorAll('iframe').forEach(function (frame) {
		frame.contentWindow.postMessage({ theme: name }, '*');
	});
}

function addTheme() {
	var label = make('label', { 'class': 'theme' }), select = make('select', {}, null);
	var main = doc.querySelector('main') || doc.body;

	label.appendChild(doc.createTextNode('Colors '));
	label.appendChild(select);
	['system', 'light', 'dark'].forEach(function (name) {
		make('option', { value: name }, select, name);
	});
	select.addEventListener('change', function () {
		setTheme(select.value);
	});
	main.insertBefore(label, main.firstChild);
	/* A page in a frame has the colors of the page around it. */
	onMessage(function (data, source) {
		if (source !== window.parent || ['system', 'light', 'dark'].indexOf(data.theme) < 0)
			return;
		select.value = data.theme;
		setTheme(data.theme);
	});
	if (dark && dark.addEventListener)
		dark.addEventListener('change', function () { setTheme(theme); });
	doc.querySelectorAll('iframe').forEach(function (frame) {
		frame.addEventListener('load', function () {
			frame.contentWindow.postMessage({ theme: theme }, '*');
		});
	});
}

/* ----- the page ----- */

function addBar(first) {
	var bar, label, labels;

	labels = shared.filter(function (name) {
		return plots.some(function (p) { return labelsOf(p.spec).indexOf(name) >= 0; });
	});
	if (!labels.length && !plots.some(function (p) { return p.spec.time; }))
		return;
	bar = make('div', { 'class': 'bar', role: 'group', 'aria-label': 'what all plots show' });
	if (first.previousElementSibling && first.previousElementSibling.tagName === 'H3')
		first = first.previousElementSibling;
	first.parentNode.insertBefore(bar, first);
	if (plots.some(function (p) { return p.spec.time; })) {
		label = make('label', {}, bar, 'from ');
		from = make('input', { type: 'number', step: 'any' }, label);
		label.appendChild(doc.createTextNode(' s'));
		label = make('label', {}, bar, 'until ');
		until = make('input', { type: 'number', step: 'any' }, label);
		label.appendChild(doc.createTextNode(' s'));
		[from, until].forEach(function (input) {
			input.addEventListener('change', function () { setTime(+from.value, +until.value); });
		});
		[['Zoom in', function () { zoomTime(0.5); }], ['Zoom out', function () { zoomTime(2); }],
		 ['All', function () { setTime(time.min, time.max); }]].forEach(function (b) {
			make('button', { type: 'button' }, bar, b[0]).addEventListener('click', b[1]);
		});
		outside = make('output', { 'class': 'note' }, bar);
	}
	if (labels.length)
		addBoxes(bar, 'show', labels);
}

var kinds = { lines: lines, stems: lines, heat: heat, points: points, bars: bars };

addTheme();
doc.querySelectorAll('figure.plot').forEach(function (figure) {
	var spec = JSON.parse(figure.getAttribute('data-plot')), t = table(figure.getAttribute('data-csv'));
	var section = doc.querySelector('section.table[data-csv="' + figure.getAttribute('data-csv') + '"]');
	var p = t && kinds[spec.kind](figure, spec, t, section ? +section.getAttribute('data-summary') : 0);

	if (!p)
		return;
	figure.classList.add('js');
	if (spec.time) {
		time.min = Math.min(time.min, p.min);
		time.max = Math.max(time.max, p.max);
	}
	plots.push(p);
});
if (plots.length)
	addBar(plots[0].figure);
setTheme('system');
plots.forEach(function (p) { p.start(); });
setTime(time.min, time.max, true);
setTheme(theme);
shareTime();
doc.querySelectorAll('section.table').forEach(rowsOfPage);
})();
