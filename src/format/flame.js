// SPDX-License-Identifier: GPL-2.0-only
// What makes the flame graph answer: it draws the boxes of the part that is zoomed into, from the
// list that <metadata> holds; hover, click, keys and the search box. Names only ever become text.
(function () {
	'use strict';
	var script = document.currentScript;
	var root = (script && script.ownerSVGElement) || document.documentElement;
	var SVG = 'http://www.w3.org/2000/svg';
	var ROW = 18, LEAST = 0.25, COLUMN = 7.25;
	var find = function (name) { return root.querySelector('.' + name); };
	var data = JSON.parse(find('data').textContent);
	var layer = find('boxes'), detail = find('detail'), reset = find('reset');
	var input = root.querySelector('input'), matched = find('matched');
	var alone = root === document.documentElement;
	var width = data.width, boxes = [], shown = [], zoomed, current, hits = null;

	function load() {
		var step = data.diff ? 5 : 4, above = [], n = data.boxes;

		for (var i = 0; i < n.length; i += step) {
			var box = { id: boxes.length, name: data.names[n[i]], depth: n[i + 1],
				bytes: n[i + 2], hue: n[i + 3], before: n[i + 4], kids: [],
				start: 0, used: 0 };
			var parent = box.depth ? above[box.depth - 1] : null;

			box.parent = parent;
			if (parent) {
				box.start = parent.start + parent.used;
				parent.used += box.bytes;
				parent.kids.push(box);
			}
			above[box.depth] = box;
			boxes.push(box);
		}
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
			box.start + box.bytes <= outer.start + outer.bytes;
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
		var group = element('g', { 'class': 'box' + (under ? ' under' : '') +
			(isHit(box) ? ' hit' : ''), 'tabindex': box === current ? 0 : -1,
			'role': 'button', 'aria-label': describe(box) }, layer);

		element('title', {}, group).textContent = describe(box);
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
		var wide = kids.filter(function (kid) { return kid.bytes * scale >= LEAST; });
		var narrow = kids.slice(wide.length), first = narrow[0];

		if (narrow.length < 2)
			return kids.slice();
		var bytes = narrow.reduce(function (sum, kid) { return sum + kid.bytes; }, 0);
		wide.push({ name: narrow.length + ' smaller', depth: first.depth, bytes: bytes, hue: 0,
			before: narrow.reduce(function (sum, kid) { return sum + kid.before; }, 0),
			kids: narrow, start: first.start, parent: first.parent, rest: true });
		return wide;
	}

	function draw() {
		var left = 10, room = width - 20, scale = zoomed.bytes ? room / zoomed.bytes : 0;
		var pending = zoomed.rest ? visible(zoomed.kids, scale).reverse() : [zoomed], box;

		shown.forEach(function (b) { b.drawn = null; });
		shown = [];
		layer.textContent = '';
		for (box = zoomed.parent; box; box = box.parent)
			drawBox(box, left, room);
		while ((box = pending.pop())) {
			var w = box === zoomed ? room : box.bytes * scale;

			if (w < LEAST || box.depth > data.levels)
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

	// Bytes of what matches, each once: what stands above a match is within it.
	function search(text) {
		var total = 0, end = -1, wanted = text.toLowerCase(), pattern = null;

		if (text.length > 2 && text[0] === '/' && text[text.length - 1] === '/') {
			try {
				pattern = new RegExp(text.slice(1, -1), 'i');
			} catch (e) {
				matched.textContent = 'not a regular expression';
				return;
			}
		}
		hits = text ? new Set() : null;
		for (var i = 0; text && i < boxes.length; i++) {
			var box = boxes[i];

			if (!(pattern ? pattern.test(box.name) : box.name.toLowerCase().includes(wanted)))
				continue;
			hits.add(box.id);
			if (box.start >= end) {
				total += box.bytes;
				end = box.start + box.bytes;
			}
		}
		matched.textContent = text ? 'matched ' + size(total) + ' (' +
			share(total, boxes[0].bytes) + '), ' + hits.size +
			(hits.size === 1 ? ' box' : ' boxes') : '';
		draw();
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

	function key(event) {
		var typing = event.target === input, box = boxOf(event);

		var wanted = event.key === '/' || event.key === 'f' && (event.ctrlKey || event.metaKey);

		if (wanted && !typing) {
			event.preventDefault();
			input.focus();
			input.select();
		} else if (event.key === 'Escape') {
			if (input.value) {
				input.value = '';
				search('');
			} else {
				zoom(boxes[0], !typing);
			}
		} else if (box) {
			boxKey(event, box);
		} else if (event.target === reset && (event.key === 'Enter' || event.key === ' ')) {
			zoom(boxes[0], true);
		}
	}

	function boxKey(event, box) {
		var to = { 'ArrowUp': above(box), 'ArrowDown': box.parent,
			'ArrowLeft': beside(box, -1), 'ArrowRight': beside(box, 1) };

		if (event.key === 'Enter' || event.key === ' ')
			zoom(box, true);
		else if (event.key in to)
			move(to[event.key]);
		else
			return;
		event.preventDefault();
	}

	// As the only thing in the window the graph takes its width, so that text keeps its size.
	function fit() {
		if (alone && window.innerWidth) {
			width = Math.max(760, window.innerWidth);
			root.setAttribute('width', width);
			root.setAttribute('viewBox', '0 0 ' + width + ' ' + data.height);
			root.querySelectorAll('.right').forEach(function (right) {
				right.setAttribute('transform', 'translate(' + (width - data.width) + ' 0)');
			});
		}
		draw();
	}

	load();
	zoomed = current = boxes[0];
	input.addEventListener('input', function () { search(input.value); });
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
	(alone ? window : root).addEventListener('keydown', key);
	window.addEventListener('resize', fit);
	fit();
})();
