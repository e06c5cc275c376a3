// SPDX-License-Identifier: GPL-2.0-only
// The flame graph's boxes, made of what is selected: a flat list as the SVG view carries it.
kmp.flameData = function (data) {
	const tree = new kmp.Tree(data);

	for (const sums of data.sumsBy(data.stackKey))
		tree.add(data.stacks[sums.value], sums);
	return { names: data.functions.concat('all'), diff: data.difference, boxes: tree.flat(),
		levels: Math.min(tree.depth, kmp.MAX_LEVELS) };
};

kmp.MAX_LEVELS = 400;

// Numbers of enum flame_hue.
kmp.HUES = { KEY: 9, NEW: 16, GREW: 17, GREW_LITTLE: 18, SAME: 19, SHRANK_LITTLE: 20,
	SHRANK: 21, GONE: 22 };

kmp.Tree = class {
	constructor(data) {
		this.data = data;
		this.depth = 0;
		this.names = new Map();
		this.nameOf = data.functions.map((name, frame) => {
			if (!this.names.has(name))
				this.names.set(name, frame);
			return this.names.get(name);
		});
		this.root = this.box(data.functions.length, kmp.HUES.KEY);
	}

	box(name, hue) {
		return { name, hue, bytes: 0, before: 0, width: 0, kids: new Map() };
	}

	grow(box, bytes, before) {
		box.bytes += bytes;
		box.before += before;
		box.width += Math.max(bytes, before);
	}

	add(frames, sums) {
		const bytes = Math.max(sums.bytes, 0), before = Math.max(sums.before, 0);
		let at = this.root;

		if (!bytes && !before)
			return;
		this.grow(at, bytes, before);
		for (const frame of frames) {
			const name = this.nameOf[frame], hue = this.data.hues[frame];

			if (!at.kids.has(name))
				at.kids.set(name, this.box(name, hue < 0 ? at.hue : hue));
			at = at.kids.get(name);
			this.grow(at, bytes, before);
		}
		this.depth = Math.max(this.depth, frames.length);
	}

	// Name, depth, bytes, hue; of a difference the bytes before too.
	flat() {
		const boxes = [], pending = [[this.root, 0]], difference = this.data.difference;

		while (pending.length) {
			const [box, depth] = pending.pop();
			const kids = Array.from(box.kids.values()).sort((a, b) => a.width - b.width ||
				(this.data.functions[a.name] < this.data.functions[b.name] ? 1 : -1));

			boxes.push(box.name, depth, box.bytes,
				difference && depth ? kmp.hueOfChange(box.bytes, box.before) : box.hue);
			if (difference)
				boxes.push(box.before, box.width);
			kids.forEach(kid => pending.push([kid, depth + 1]));
		}
		return boxes;
	}
};

kmp.hueOfChange = function (now, before) {
	const hues = kmp.HUES, delta = now - before;
	const little = Math.abs(delta) * 10 < Math.max(now, before);

	if (!delta)
		return hues.SAME;
	if (!before || !now)
		return before ? hues.GONE : hues.NEW;
	if (delta > 0)
		return little ? hues.GREW_LITTLE : hues.GREW;
	return little ? hues.SHRANK_LITTLE : hues.SHRANK;
};
