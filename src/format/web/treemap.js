// SPDX-License-Identifier: GPL-2.0-only
// A treemap: areas as large as the bytes, those of a key within those of the key before.
kmp.Treemap = class {
	constructor(parent, onOnly) {
		this.onOnly = onOnly;
		this.path = [];
		this.levels = null;
		this.drawn = [];
		this.choice = kmp.element('div', { class: 'choice', role: 'group',
			'aria-label': 'Levels of the map' });
		this.crumbs = kmp.element('div', { class: 'crumbs' });
		this.map = kmp.svg('svg', { class: 'map kmp-flame', role: 'group', tabindex: -1,
			'aria-label': 'Treemap: arrow keys move, Enter zooms in, Escape zooms out' });
		this.detail = kmp.element('p', { class: 'detail', role: 'status' });
		parent.append(this.choice, this.crumbs, this.map, this.detail);
		this.map.addEventListener('click', event => this.enter(this.areaOf(event)));
		this.map.addEventListener('keydown', event => this.keydown(event));
		for (const type of ['mouseover', 'focusin'])
			this.map.addEventListener(type, event => this.tell(this.areaOf(event)));
	}

	show(data) {
		if (data !== this.data) {
			const first = ['node', 'zone', 'order', 'comm', 'module', 'directory', 'file'];
			const keys = data.plainKeys();

			this.data = data;
			this.path = [];
			this.levels = first.map(name => keys.find(key => key.name === name))
				.filter(key => key).concat(keys.filter(key => !first.includes(key.name)));
			this.used = new Set(this.levels.slice(0, 4));
			this.colours = this.chooseColours();
			this.drawChoice();
		}
		this.draw();
	}

	// What the largest values of the last key are painted with; the others are grey.
	chooseColours() {
		const colours = new Map();
		const last = this.keys().at(-1);

		if (last) {
			this.data.sumsBy(last, this.data.cells).slice(0, 11)
				.forEach((sums, number) => colours.set(sums.value, number));
		}
		return colours;
	}

	keys() {
		return this.levels.filter(key => this.used.has(key));
	}

	drawChoice() {
		this.choice.replaceChildren(...this.levels.map(key => kmp.element('button', {
			type: 'button', class: 'pill', 'aria-pressed': String(this.used.has(key)),
			click: () => this.toggleLevel(key) }, key.label)));
	}

	toggleLevel(key) {
		if (this.used.has(key) && this.used.size > 1)
			this.used.delete(key);
		else
			this.used.add(key);
		this.path = [];
		this.colours = this.chooseColours();
		this.drawChoice();
		this.draw();
	}

	cellsOf(path) {
		return this.data.selected.filter(cell =>
			path.every(step => cell.values[step.key.number] === step.value));
	}

	areaOf(event) {
		const group = event.target.closest ? event.target.closest('.area') : null;

		return group && group.area;
	}

	// Into an area; on the innermost level there is nothing within.
	enter(area) {
		if (!area)
			return;
		this.path = area.path.slice(0, Math.max(this.keys().length - 1, 0));
		this.draw();
		if (this.drawn.length)
			this.drawn[0].group.focus();
	}

	leave(length) {
		this.path = this.path.slice(0, length);
		this.draw();
		if (this.drawn.length)
			this.drawn[0].group.focus();
	}

	keydown(event) {
		const area = this.areaOf(event);

		if (event.key === 'Escape' && this.path.length) {
			event.stopPropagation();
			this.leave(this.path.length - 1);
		} else if (area && (event.key === 'Enter' || event.key === ' ')) {
			event.preventDefault();
			this.enter(area);
		} else if (area) {
			kmp.arrows(event, this.drawn.map(other => other.group));
		}
	}

	textOf(path) {
		return path.map(step => this.data.text(step.key, step.value)).join(' \u203a ');
	}

	describe(area) {
		const text = this.textOf(area.path) + ': ' + kmp.size(area.sums.bytes) + ' (' +
			kmp.share(area.sums.bytes, this.data.total.bytes) + ')';

		return this.data.difference ? text + ', ' +
			kmp.change(area.sums.bytes - area.sums.before) : text;
	}

	tell(area) {
		if (area)
			this.detail.textContent = this.describe(area);
	}

	drawCrumbs() {
		const crumbs = this.crumbs;

		crumbs.replaceChildren();
		crumbs.hidden = !this.path.length;
		if (crumbs.hidden)
			return;
		crumbs.append(kmp.element('button', { type: 'button', class: 'link',
			click: () => this.leave(0) }, 'all'));
		this.path.forEach((step, number) => crumbs.append(' \u203a ', kmp.element('button', {
			type: 'button', class: 'link', click: () => this.leave(number + 1) },
		this.data.text(step.key, step.value))));
		crumbs.append(kmp.element('button', { type: 'button', class: 'pill',
			click: () => this.onOnly(this.path) }, 'Show only this everywhere'));
	}

	// As high as it will be; the width and that.
	reserve() {
		const width = this.map.clientWidth || 900;
		const height = Math.round(Math.min(Math.max(width * 0.36, 260), 440));

		this.map.setAttribute('height', height);
		return [width, height];
	}

	draw() {
		const [width, height] = this.reserve();

		this.map.replaceChildren();
		this.map.setAttribute('viewBox', `0 0 ${width} ${height}`);
		this.drawn = [];
		this.drawCrumbs();
		this.divide(this.path, this.cellsOf(this.path), { x: 0, y: 0, w: width, h: height });
		if (!this.drawn.length)
			this.detail.textContent = 'Nothing to show.';
		else
			this.detail.textContent = this.path.length ? this.textOf(this.path) :
				'Each area is as large as its memory. Click one to zoom in.';
	}

	// Fill a room with the areas of the next key, and each of them with those of the key after.
	divide(path, cells, room) {
		const key = this.keys()[path.length];

		if (!key)
			return;
		const sums = this.data.sumsBy(key, cells).filter(sum => kmp.extent(sum) > 0);

		for (const [sum, box] of kmp.squarify(sums, room)) {
			if (box.w < 2.5 || box.h < 2.5)
				continue;
			const step = path.concat({ key, value: sum.value });
			const inner = this.drawArea(step, sum, box);

			if (inner)
				this.divide(step, cells.filter(cell => cell.values[key.number] === sum.value),
					inner);
		}
	}

	colourOf(area, last) {
		if (last && this.data.difference)
			return 'h' + kmp.hueOfChange(area.sums.bytes, area.sums.before);
		const number = this.colours.get(area.path.at(-1).value);

		return !last ? 'frame' : number === undefined ? 'c-other' : 'c' + number;
	}

	// The room that is left within it for the next key's, if there is one.
	drawArea(path, sums, box) {
		const last = path.length === this.keys().length, area = { path, sums };
		const head = !last && box.h > 34 && box.w > 46 ? 17 : 0;
		const name = this.data.text(path.at(-1).key, path.at(-1).value);
		const group = kmp.svg('g', { class: 'area ' + (last ? 'leaf' : 'outer'), role: 'button',
			tabindex: this.drawn.length ? -1 : 0, 'aria-label': this.describe(area) },
		kmp.svg('rect', { class: this.colourOf(area, last), x: box.x.toFixed(1),
			y: box.y.toFixed(1), width: Math.max(box.w - 1, 0.5).toFixed(1),
			height: Math.max(box.h - 1, 0.5).toFixed(1), rx: last ? 2 : 3 }));

		if ((head || last && box.h > 15) && box.w > 34)
			this.drawName(group, name, sums, box);
		group.area = area;
		area.group = group;
		this.map.append(group);
		this.drawn.push(area);
		return last ? null : { x: box.x + 2, y: box.y + 2 + head, w: box.w - 5,
			h: box.h - 5 - head };
	}

	// In an element of its own, which cuts off what does not fit.
	drawName(group, name, sums, box) {
		const outer = group.classList.contains('outer'), size = kmp.size(sums.bytes);
		const room = Math.floor((box.w - 9) / (outer ? 7.2 : 6.4));
		const text = name.length > room ? name.slice(0, Math.max(room - 1, 1)) + '\u2026' : name;
		const label = kmp.svg('text', { x: 5, y: 13 }, text);
		const frame = kmp.svg('svg', { x: box.x.toFixed(1), y: box.y.toFixed(1),
			width: (box.w - 3).toFixed(1), height: (box.h - 2).toFixed(1) }, label);

		if (outer && text.length + size.length + 2 < room)
			label.append(kmp.svg('tspan', { dx: 6, class: 'size' }, size));
		else if (!outer && box.h > 30 && size.length <= room)
			frame.append(kmp.svg('text', { class: 'size', x: 5, y: 26 }, size));
		group.append(frame);
	}
};

// As wide as the larger of now and before, so that what is gone has its place.
kmp.extent = function (sums) {
	return Math.max(sums.bytes, sums.before, 0);
};

// Rows of areas that are as nearly squares as can be; pairs of what was given and its place.
kmp.squarify = function (items, room) {
	const placed = [], box = Object.assign({}, room);
	const total = items.reduce((sum, item) => sum + kmp.extent(item), 0);
	const scale = total ? Math.max(room.w, 0) * Math.max(room.h, 0) / total : 0;
	let pending = items.slice().sort((a, b) => kmp.extent(b) - kmp.extent(a));

	while (pending.length && scale && box.w > 0 && box.h > 0) {
		const side = Math.min(box.w, box.h), areas = pending.map(item => kmp.extent(item) * scale);
		const taken = kmp.rowLength(areas, side);
		const sum = areas.slice(0, taken).reduce((a, b) => a + b, 0), thick = sum / side;
		let along = 0;

		for (let i = 0; i < taken; i++) {
			const length = areas[i] / thick;

			placed.push([pending[i], box.w < box.h ?
				{ x: box.x + along, y: box.y, w: length, h: thick } :
				{ x: box.x, y: box.y + along, w: thick, h: length }]);
			along += length;
		}
		if (box.w < box.h) {
			box.y += thick;
			box.h -= thick;
		} else {
			box.x += thick;
			box.w -= thick;
		}
		pending = pending.slice(taken);
	}
	return placed;
};

// How many areas a row takes before its worst proportion gets worse.
kmp.rowLength = function (areas, side) {
	let sum = 0, best = Infinity;

	for (let i = 0; i < areas.length; i++) {
		sum += areas[i];
		const worst = Math.max(side * side * areas[0] / (sum * sum),
			sum * sum / (side * side * areas[i]));

		if (worst > best)
			return i;
		best = worst;
	}
	return areas.length;
};
