// SPDX-License-Identifier: GPL-2.0-only
// The flame graph as a part of the page: what the SVG view draws, of what is selected.
kmp.FlameView = class {
	constructor(parent, labels) {
		const layer = kmp.svg('g', { class: 'boxes' });

		this.root = kmp.svg('svg', { class: 'kmp-flame', role: 'group', 'font-size': 12,
			'font-family': 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
			'aria-label': 'Flame graph: arrow keys move, Enter zooms in, Escape zooms out' }, layer);
		this.labels = labels;
		this.colours = kmp.element('ul', { class: 'legend', 'aria-label': 'Colours' });
		this.detail = kmp.element('p', { class: 'detail', role: 'status' });
		this.reset = kmp.element('button', { type: 'button', class: 'pill hide' }, 'Reset zoom');
		this.scroll = kmp.element('div', { class: 'flame' }, this.root);
		parent.append(this.colours, this.scroll, kmp.element('div', { class: 'line' }, this.detail, this.reset));
		this.graph = kmpFlame({ root: this.root, layer, detail: this.detail, reset: this.reset,
			least: 1 });
		this.root.addEventListener('keydown', event => {
			if (event.key === 'Escape')
				event.stopPropagation();
			this.graph.key(event);
		});
	}

	show(data) {
		this.data = data;
		this.flame = kmp.flameData(data);
		this.draw();
	}

	// As high as it will be.
	reserve(data) {
		const deepest = data.stacks.reduce((most, stack) => Math.max(most, stack.length), 0);

		this.root.setAttribute('height', (Math.min(deepest, kmp.MAX_LEVELS) + 1) * 18 + 4);
	}

	draw() {
		const width = Math.max(this.scroll.clientWidth, 320), flame = this.flame;
		const height = (flame.levels + 1) * 18 + 4;

		this.root.setAttribute('viewBox', `0 0 ${width} ${height}`);
		this.root.setAttribute('width', width);
		this.root.setAttribute('height', height);
		this.graph.load(Object.assign({ width, height, margin: 0, base: height - 20 }, flame),
			this.data.search && kmp.matcher(this.data.search));
		this.drawColours();
		this.detail.textContent = this.data.total.bytes || this.data.difference ?
			'Point at a box, or click it to zoom in. ' + this.legend() : 'Nothing to show.';
	}

	// What the colours that are there mean.
	drawColours() {
		const step = this.data.difference ? 6 : 4, boxes = this.flame.boxes, used = new Set();

		for (let at = step; at < boxes.length; at += step)
			used.add(boxes[at + 3]);
		this.colours.replaceChildren(...this.labels.map((label, hue) => label && used.has(hue) ?
			kmp.element('li', {}, kmp.svg('svg', { class: 'kmp-flame', 'aria-hidden': 'true' },
				kmp.svg('rect', { class: 'h' + hue, width: 10, height: 10, rx: 2 })), label) :
			null).filter(item => item));
	}

	legend() {
		return this.data.difference ? 'Red grew, blue shrank; as wide as the larger of both.' :
			this.data.tags ? 'From the source tree\u2019s top to the line that allocates.' :
				'From the outermost function, below, to the allocator, on top.';
	}
};
