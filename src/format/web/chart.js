// SPDX-License-Identifier: GPL-2.0-only
// Areas on top of one another: what the largest owners held over time, the others as one, grey.
kmp.Chart = class {
	constructor(parent, timelines, onName) {
		this.timelines = timelines.filter(timeline => timeline.times.length > 1);
		this.onName = onName;
		this.choice = kmp.element('div', { class: 'choice', role: 'group',
			'aria-label': 'Whose memory' });
		this.root = kmp.svg('svg', { class: 'over-time', tabindex: 0, role: 'img' });
		this.legend = kmp.element('ul', { class: 'legend' });
		this.detail = kmp.element('p', { class: 'detail', role: 'status' });
		parent.append(this.choice, this.root, this.detail, this.legend);
		parent.hidden = !this.timelines.length;
		this.root.addEventListener('mousemove', event => this.point(event));
		this.root.addEventListener('mouseleave', () => this.mark(null));
		this.root.addEventListener('keydown', event => this.keydown(event));
		if (this.timelines.length)
			this.choose(this.timelines[0]);
	}

	choose(timeline) {
		this.line = timeline;
		this.at = null;
		this.alone = null;
		this.choice.replaceChildren(...this.timelines.map(other => kmp.element('button', {
			type: 'button', class: 'pill', 'aria-pressed': String(other === timeline),
			click: () => this.choose(other) }, (other.unit === 'tags' ? 'Tags: ' : '') +
				kmp.labels[other.key])));
		this.bands = this.makeBands();
		this.draw();
	}

	// The owners' curves and what is left of the total, the largest at the bottom.
	makeBands() {
		const line = this.line, key = { name: line.key };
		const rest = line.total.map((total, at) => line.owners.reduce(
			(left, owner) => left - Math.max(owner.bytes[at], 0), total));
		const bands = line.owners.map((owner, number) => ({ colour: 'c' + number,
			name: kmp.valueText(key, owner.name), bytes: owner.bytes }));

		if (rest.some(bytes => bytes > 0))
			bands.push({ colour: 'c-other', name: 'all others', rest: true, bytes: rest });
		return bands;
	}

	shown() {
		return this.alone ? [this.alone] : this.bands;
	}

	draw() {
		if (!this.timelines.length)
			return;
		this.width = Math.max(this.root.clientWidth || 900, 280);
		this.height = Math.round(Math.min(Math.max(this.width * 0.28, 200), 320));
		this.room = { left: 64, right: 8, top: 8, bottom: 24 };
		this.root.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
		this.root.setAttribute('height', this.height);
		this.root.setAttribute('aria-label', `Memory over time by ${
			kmp.labels[this.line.key].toLowerCase()}, ${this.line.times.length} samples; ` +
			'arrow keys go from sample to sample');
		this.top = this.highest();
		this.root.replaceChildren(...this.lines(), ...this.areas(), this.cursor =
			kmp.svg('line', { class: 'cursor hide', y1: this.room.top,
				y2: this.height - this.room.bottom }));
		this.drawLegend();
		this.mark(this.at);
	}

	highest() {
		let highest = 1;

		this.line.times.forEach((time, at) => {
			highest = Math.max(highest, this.shown().reduce((sum, band) =>
				sum + Math.max(band.bytes[at], 0), 0));
		});
		return highest;
	}

	x(at) {
		const times = this.line.times, span = times.at(-1) - times[0] || 1;

		return this.room.left + (times[at] - times[0]) / span *
			(this.width - this.room.left - this.room.right);
	}

	y(bytes) {
		return this.height - this.room.bottom - bytes / this.top *
			(this.height - this.room.top - this.room.bottom);
	}

	// Lines and labels at round figures of bytes and at moments that fit.
	lines() {
		const made = [], step = kmp.roundStep(this.top / 4);
		const width = this.width - this.room.right, count = Math.floor(this.width / 170) + 1;
		const times = this.line.times, span = times.at(-1) - times[0];

		for (let bytes = 0; bytes <= this.top; bytes += step) {
			const y = this.y(bytes).toFixed(1);

			made.push(kmp.svg('line', { class: 'grid', x1: this.room.left, x2: width, y1: y, y2: y }),
				kmp.svg('text', { x: this.room.left - 6, y: Number(y) + 4, 'text-anchor': 'end' },
					kmp.size(bytes)));
		}
		for (let i = 0; i <= count; i++) {
			const x = this.room.left + i / count * (width - this.room.left);

			made.push(kmp.svg('text', { x: x.toFixed(1), y: this.height - 6, 'text-anchor':
				i ? i === count ? 'end' : 'middle' : 'start' },
			kmp.moment(times[0] + span * i / count, span)));
		}
		return made;
	}

	areas() {
		const below = this.line.times.map(() => 0);

		return this.shown().map(band => {
			const bottom = below.map((bytes, at) => `${this.x(at).toFixed(1)},${this.y(bytes)
				.toFixed(1)}`).reverse();

			below.forEach((bytes, at) => {
				below[at] += Math.max(band.bytes[at], 0);
			});
			const top = below.map((bytes, at) => `${this.x(at).toFixed(1)},${this.y(bytes)
				.toFixed(1)}`);

			return kmp.svg('polygon', { class: band.colour, points: top.concat(bottom).join(' ') });
		});
	}

	drawLegend() {
		this.legend.replaceChildren(...this.bands.map(band => {
			const last = band.bytes.at(-1), change = last - band.bytes[0];
			const item = kmp.element('li', {}, kmp.element('button', { type: 'button',
				class: 'pill', 'aria-pressed': String(this.alone === band), click: () => {
					this.alone = this.alone === band ? null : band;
					this.draw();
					this.legend.children[this.bands.indexOf(band)].firstChild.focus();
				} }, kmp.svg('svg', { 'aria-hidden': 'true' }, kmp.svg('rect',
				{ class: band.colour, width: 10, height: 10, rx: 2 })), band.name + ' ',
			kmp.element('span', { class: 'soft' }, kmp.size(last) + (change ? ` (${kmp.change(change)})` : ''))));

			if (this.alone === band && !band.rest)
				item.append(' ', kmp.element('button', { type: 'button', class: 'link',
					click: () => this.onName(band.name) }, 'search'));
			return item;
		}));
	}

	point(event) {
		const box = this.root.getBoundingClientRect();
		const x = (event.clientX - box.left) / box.width * this.width;
		let best = 0;

		this.line.times.forEach((time, at) => {
			if (Math.abs(this.x(at) - x) < Math.abs(this.x(best) - x))
				best = at;
		});
		this.mark(best);
	}

	keydown(event) {
		const last = this.line.times.length - 1, at = this.at === null ? last : this.at;
		const to = { ArrowLeft: this.at === null ? last : at - 1, ArrowRight: at + 1, Home: 0,
			End: last }[event.key];

		if (to === undefined)
			return;
		event.preventDefault();
		this.mark(Math.min(Math.max(to, 0), last));
	}

	// Tell what there is at a sample, the largest first.
	mark(at) {
		this.at = at;
		this.cursor.classList.toggle('hide', at === null);
		if (at === null) {
			this.detail.textContent = 'Point at a moment, or go there by arrow keys.';
			return;
		}
		this.cursor.setAttribute('x1', this.x(at));
		this.cursor.setAttribute('x2', this.x(at));
		const largest = this.shown().filter(band => band.bytes[at] > 0)
			.sort((a, b) => b.bytes[at] - a.bytes[at]).slice(0, 4)
			.map(band => `${band.name} ${kmp.size(band.bytes[at])}`);

		this.detail.textContent = `${kmp.moment(this.line.times[at], 0)}: ${
			kmp.size(this.line.total[at])} in all; ${largest.join(', ')}`;
	}
};

// 1, 2 or 4 times a power of 1024 or its tenths: what reads well as a size.
kmp.roundStep = function (bytes) {
	let unit = 1;

	while (unit * 1024 <= bytes)
		unit *= 1024;
	for (const factor of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) {
		if (unit * factor >= bytes)
			return unit * factor;
	}
	return unit * 1024;
};

// A moment, as finely as a span of so many milliseconds needs; 0: whole. In the reader's time.
kmp.moment = function (time, span) {
	const date = new Date(time), two = number => String(number).padStart(2, '0');
	const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
	const minute = `${two(date.getHours())}:${two(date.getMinutes())}`;
	const second = `${minute}:${two(date.getSeconds())}`;

	if (!span)
		return `${day} ${second}`;
	if (span < 1200000)
		return second;
	return span < 86400000 ? minute : span < 864000000 ? `${day.slice(5)} ${minute}` : day;
};
