// SPDX-License-Identifier: GPL-2.0-only
// The figures: cells, each a value of every key with its sums; what is selected of them; and sums
// by a key. A stack is a value like others, a list of frames from the outermost in.
kmp.Data = class {
	constructor(from) {
		this.info = from;
		this.tags = from.unit === 'tags';
		this.difference = from.difference;
		this.frames = from.frames;
		this.hues = from.hues;
		this.stacks = kmp.unpackStacks(from.stacks);
		this.keys = from.keys.map((key, number) => this.makeKey(key, number));
		this.stackKey = this.keys.find(key => key.name === 'stack') || null;
		this.unpackCells(from.cells);
		this.filters = new Map();
		this.search = '';
		this.select();
	}

	// Of each frame; the flame graph needs them all, a table those that it shows.
	get functions() {
		if (!this.allFunctions)
			this.allFunctions = this.frames.map(kmp.functionOf);
		return this.allFunctions;
	}

	makeKey(key, number) {
		const stack = key.name === 'stack';

		return {
			name: key.name, number, stack,
			label: stack && this.tags ? 'Location' : kmp.labels[key.name] || key.name,
			many: stack && this.tags ? 'Locations' :
				kmp.manyLabels[key.name] || key.name + 's',
			values: stack ? this.stacks : key.values,
			told: stack || key.values.some(value => value !== null),
		};
	}

	// Rows of numbers: the keys' values, then records, pages or bytes, and the same before.
	unpackCells(flat) {
		const both = this.difference, width = this.keys.length + (both ? 4 : 2);
		const unit = this.tags ? 1 : this.info.pageSize;

		this.count = flat.length / width;
		this.cells = [];
		for (let at = 0; at < flat.length; at += width) {
			const sums = at + this.keys.length;

			this.cells.push({
				values: flat.slice(at, sums),
				records: flat[sums], bytes: flat[sums + 1] * unit,
				recordsBefore: both ? flat[sums + 2] : 0,
				before: both ? flat[sums + 3] * unit : 0,
			});
		}
	}

	key(name) {
		return this.keys.find(key => key.name === name && key.told) || null;
	}

	// The keys that have something to tell, the stack first.
	toldKeys() {
		return this.keys.filter(key => key.told).sort((a, b) => b.stack - a.stack);
	}

	plainKeys() {
		return this.toldKeys().filter(key => !key.stack);
	}

	text(key, value) {
		if (key.stack)
			return this.ownerOf(value);
		return kmp.valueText(key, key.values[value]);
	}

	// The function that asked for the memory: the innermost that is no allocator's.
	ownerOf(stack) {
		const frames = this.stacks[stack];
		const own = this.tags ? frames.length - 1 : frames.findLastIndex(
			frame => this.hues[frame] !== kmp.HUE_ALLOCATOR);

		return kmp.functionOf(this.frames[frames[own < 0 ? frames.length - 1 : own]]);
	}

	// Those that lead to it, the nearest first.
	callersOf(stack) {
		const names = this.stacks[stack].map(frame => kmp.functionOf(this.frames[frame]));

		return names.slice(0, names.lastIndexOf(this.ownerOf(stack))).reverse();
	}

	toggle(key, value) {
		if (this.filters.get(key.number) === value)
			this.filters.delete(key.number);
		else
			this.filters.set(key.number, value);
		this.select();
	}

	clear() {
		this.filters.clear();
		this.search = '';
		this.select();
	}

	// False if what is searched for is an expression that is none.
	find(text) {
		if (text && !kmp.matcher(text))
			return false;
		this.search = text;
		this.select();
		return true;
	}

	// Of each key which values have in their text what is searched for.
	hits() {
		const matches = kmp.matcher(this.search);
		const frames = this.frames.map(matches);

		return this.keys.map(key => key.stack ?
			this.stacks.map(stack => stack.some(frame => frames[frame])) :
			key.values.map(value => value !== null && matches(kmp.valueText(key, value))));
	}

	select() {
		const filters = Array.from(this.filters), hits = this.search ? this.hits() : null;

		this.selected = this.cells.filter(cell =>
			filters.every(([key, value]) => cell.values[key] === value) &&
			(!hits || cell.values.some((value, key) => hits[key][value])));
		this.total = kmp.sum(this.selected);
		this.known = new Map();
	}

	// The selected cells' sums for each value of a key, largest first.
	sumsBy(key, cells) {
		if (cells)
			return this.addUp(key, cells);
		if (!this.known.has(key))
			this.known.set(key, this.addUp(key, this.selected));
		return this.known.get(key).slice();
	}

	addUp(key, cells) {
		const sums = new Map();

		for (const cell of cells) {
			const value = cell.values[key.number];

			if (!sums.has(value))
				sums.set(value, { value, bytes: 0, records: 0, before: 0,
					recordsBefore: 0 });
			kmp.add(sums.get(value), cell);
		}
		return Array.from(sums.values()).sort((a, b) => b.bytes - a.bytes ||
			b.before - a.before);
	}
};

kmp.HUE_ALLOCATOR = 1;

kmp.labels = { stack: 'Stack', comm: 'Task', node: 'Node', zone: 'Zone', order: 'Order',
	pid: 'PID', tgid: 'TGID', gfp: 'GFP mask', flags: 'Flags', memcg: 'Cgroup',
	migratetype: 'Migratetype', block: 'Block', module: 'Module', function: 'Function',
	allocator: 'Allocator', handle: 'Handle', file: 'File', directory: 'Directory',
	line: 'Line' };

kmp.manyLabels = { stack: 'Stacks', comm: 'Tasks', node: 'Nodes', zone: 'Zones',
	order: 'Orders', pid: 'PIDs', tgid: 'TGIDs', gfp: 'GFP masks', flags: 'Flags',
	memcg: 'Cgroups', migratetype: 'Migratetypes', block: 'Blocks', module: 'Modules',
	function: 'Functions', allocator: 'Allocators', handle: 'Handles', file: 'Files',
	directory: 'Directories', line: 'Lines' };

kmp.valueText = function (key, value) {
	if (value === null)
		return 'not told';
	if (value === '')
		return key.name === 'module' ? '(built-in)' : '(empty)';
	if (typeof value === 'number' && ['node', 'order', 'zone'].includes(key.name))
		return key.name + ' ' + value;
	return String(value);
};

kmp.functionOf = function (frame) {
	return frame.replace(/\+0x[0-9a-f]+\/0x[0-9a-f]+/, '');
};

// Each stack: how many frames it has in common with the one before, how many follow, those.
kmp.unpackStacks = function (flat) {
	const stacks = [];
	let last = [];

	for (let at = 0; at < flat.length; at += 2 + flat[at + 1]) {
		last = last.slice(0, flat[at]).concat(flat.slice(at + 2, at + 2 + flat[at + 1]));
		stacks.push(last);
	}
	return stacks;
};

kmp.add = function (to, from) {
	to.bytes += from.bytes;
	to.records += from.records;
	to.before += from.before;
	to.recordsBefore += from.recordsBefore;
};

kmp.sum = function (cells) {
	const total = { bytes: 0, records: 0, before: 0, recordsBefore: 0 };

	cells.forEach(cell => kmp.add(total, cell));
	return total;
};
