// SPDX-License-Identifier: GPL-2.0-only
// What makes a flame graph answer: it draws the boxes of the part that is zoomed into, from a flat
// list of all; hover, click and keys. Names only ever become text. Parts are the elements that it
// uses: root (of SVG), layer (of the boxes), detail (a line of text) and reset (a button); least
// is the width below which boxes are drawn as one, titles whether each is to have a tooltip.
function kmpFlame(parts) {
	'use strict';
	var SVG = 'http://www.w3.org/2000/svg';
	var ROW = 18, COLUMN = 7.25;
	var layer = parts.layer, detail = parts.detail, reset = parts.reset;
	var data, width, boxes = [], shown = [], zoomed, current, hits = null;

	// Names, boxes (name, depth, bytes, hue; of a difference before and width too), width and
	// margin of the drawing, y of the root. What matches is marked.
	function load(from, matches) {
		var step = from.diff ? 6 : 4, above = [], n = from.boxes;

		data = from;
		width = data.width;
		boxes = [];
		for (var i = 0; i < n.length; i += step) {
			var box = { id: boxes.length, name: data.names[n[i]], depth: n[i + 1],
				bytes: n[i + 2], hue: n[i + 3], before: n[i + 4],
				width: data.diff ? n[i + 5] : n[i + 2], kids: [], start: 0, used: 0 };
			var parent = box.depth ? above[box.depth - 1] : null;

			box.parent = parent;
			if (parent) {
				box.start = parent.start + parent.used;
				parent.used += box.width;
				parent.kids.push(box);
			}
			above[box.depth] = box;
			boxes.push(box);
		}
		zoomed = current = boxes[0];
		mark(matches);
		draw();
	}

	function size(bytes) {
		var units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'], unit = 0;
		var value = Math.abs(bytes);

		while (value >= 1023.95 && unit < 5 || unit === 0 && value >= 1024) {
			value /= 1024;
			unit++;
		}
		return (bytes < 0 ? '-' : '') + (unit ? value.toFixed(1) : value) + ' ' + units[unit];
	}

	function share(part, all) {
		return (all ? part / all * 100 : 0).toFixed(part / all < 0.001 ? 3 : 1) + ' %';
	}

	function describe(box) {
		var text = box.name + ': ' + size(box.bytes) + ' (' + share(box.bytes, boxes[0].bytes);

		if (zoomed !== boxes[0] && box !== zoomed && inside(box, zoomed))
			text += ', ' + share(box.bytes, zoomed.bytes) + ' of ' + zoomed.name;
		text += ')';
		if (data.diff) {
			var delta = box.bytes - box.before;

			text += ', before ' + size(box.before) + ' (' + (delta > 0 ? '+' : '') +
				size(delta) + ')';
		}
		return text;
	}

	function inside(box, outer) {
		return box.start >= outer.start && box.depth >= outer.depth &&
			box.start + box.width <= outer.start + outer.width;
	}

	function columns(c) {
		return c.codePointAt(0) >= 0x1100 ? 2 : 1;
	}

	// The name, cut to the columns that the box has room for.
	function cut(name, room) {
		var taken = 0, kept = '', all = Array.from(name);

		for (var i = 0; i < all.length; i++) {
			taken += columns(all[i]);
			if (taken > room)
				return kept + '\u2026';
			if (taken < room)
				kept += all[i];
		}
		return name;
	}

	function element(name, attributes, parent) {
		var made = document.createElementNS(SVG, name);

		for (var key in attributes)
			made.setAttribute(key, attributes[key]);
		parent.appendChild(made);
		return made;
	}

	function isHit(box) {
		return hits && (box.rest ? box.kids.some(isHit) : hits.has(box.id));
	}

	function drawBox(box, x, w) {
		var y = data.base - box.depth * ROW, under = box !== zoomed && inside(zoomed, box);
		var text = describe(box), group = element('g', { 'class': 'box' + (under ? ' under' : '') +
			(isHit(box) ? ' hit' : ''), 'tabindex': box === current ? 0 : -1,
			'role': 'button', 'aria-label': text }, layer);

		if (parts.titles)
			element('title', {}, group).textContent = text;
		element('rect', { 'class': 'h' + box.hue, 'x': x.toFixed(2), 'y': y, 'rx': 1,
			'width': Math.max(w - (w > 2 ? 0.6 : 0), 0.2).toFixed(2), 'height': ROW - 1 }, group);
		if (w > 3 * COLUMN)
			element('text', { 'x': (x + 3).toFixed(2), 'y': y + 13 }, group).textContent =
				cut(box.name, Math.floor((w - 6) / COLUMN));
		group.box = box;
		box.drawn = group;
		shown.push(box);
	}

	// Siblings that are too narrow to be drawn stand last; one box is drawn for all of them.
	function visible(kids, scale) {
		var wide = kids.filter(function (kid) { return kid.width * scale >= parts.least; });
		var narrow = kids.slice(wide.length), first = narrow[0];

		if (narrow.length < 2)
			return kids.slice();
		var sum = function (member) {
			return narrow.reduce(function (all, kid) { return all + kid[member]; }, 0);
		};
		wide.push({ name: narrow.length + ' smaller', depth: first.depth, bytes: sum('bytes'),
			hue: 0, before: sum('before'), width: sum('width'), kids: narrow, start: first.start, parent: first.parent, rest: true });
		return wide;
	}

	function draw() {
		var left = data.margin, room = width - 2 * left;
		var scale = zoomed.width ? room / zoomed.width : 0;
		var pending = zoomed.rest ? visible(zoomed.kids, scale).reverse() : [zoomed], box;

		shown.forEach(function (b) { b.drawn = null; });
		shown = [];
		layer.textContent = '';
		for (box = zoomed.parent; box; box = box.parent)
			drawBox(box, left, room);
		while ((box = pending.pop())) {
			var w = box === zoomed ? room : box.width * scale;

			if (w < parts.least || box.depth > data.levels)
				continue;
			drawBox(box, left + (box.start - zoomed.start) * scale, w);
			if (!box.rest)
				pending.push.apply(pending, visible(box.kids, scale).reverse());
		}
		reset.classList.toggle('hide', zoomed === boxes[0]);
	}

	function zoom(box, focus) {
		zoomed = current = box;
		draw();
		detail.textContent = describe(box);
		if (focus && shown.length)
			(box.drawn || shown[0].drawn).focus();
	}

	// Bytes and number of what matches, each byte once: what stands above a match is within it.
	function mark(matches) {
		var total = 0, end = -1;

		hits = matches ? new Set() : null;
		for (var i = 0; matches && i < boxes.length; i++) {
			var box = boxes[i];

			if (!matches(box.name))
				continue;
			hits.add(box.id);
			if (box.start >= end) {
				total += box.bytes;
				end = box.start + box.width;
			}
		}
		return { bytes: total, count: hits ? hits.size : 0 };
	}

	function search(matches) {
		var found = mark(matches);

		draw();
		return found;
	}

	function boxOf(event) {
		var group = event.target.closest ? event.target.closest('.box') : null;

		return group && group.box;
	}

	function move(box) {
		if (!box || !box.drawn)
			return;
		if (current.drawn)
			current.drawn.setAttribute('tabindex', -1);
		current = box;
		box.drawn.setAttribute('tabindex', 0);
		box.drawn.focus();
		detail.textContent = describe(box);
	}

	function beside(box, by) {
		var row = shown.filter(function (other) { return other.depth === box.depth; });

		return row[row.indexOf(box) + by];
	}

	function above(box) {
		return shown.find(function (other) { return other.parent === box; });
	}

	// Whether the key was one of the graph's.
	function key(event) {
		var box = boxOf(event);

		if (event.key === 'Escape')
			zoom(boxes[0], true);
		else if (box)
			return boxKey(event, box);
		else if (event.target !== reset || event.key !== 'Enter' && event.key !== ' ')
			return false;
		else
			zoom(boxes[0], true);
		return true;
	}

	function boxKey(event, box) {
		var to = { 'ArrowUp': above(box), 'ArrowDown': box.parent,
			'ArrowLeft': beside(box, -1), 'ArrowRight': beside(box, 1) };

		if (event.key === 'Enter' || event.key === ' ')
			zoom(box, true);
		else if (event.key in to)
			move(to[event.key]);
		else
			return false;
		event.preventDefault();
		return true;
	}

	function resize(to) {
		width = to;
		draw();
	}

	// What listens to the focus is a stop of the tab key to some browsers.
	layer.setAttribute('tabindex', -1);
	reset.addEventListener('click', function () { zoom(boxes[0], true); });
	layer.addEventListener('click', function (event) {
		var box = boxOf(event);

		if (box)
			zoom(box, true);
	});
	['mouseover', 'focusin'].forEach(function (type) {
		layer.addEventListener(type, function (event) {
			var box = boxOf(event);

			if (box)
				detail.textContent = describe(box);
		});
	});
	return { load: load, search: search, resize: resize, key: key, size: size, share: share,
		total: function () { return boxes[0].bytes; } };
}
