// SPDX-License-Identifier: GPL-2.0-only
// A table of what a key's values hold: sorted by any column, a row opens to what is behind it.
kmp.Table = class {
	constructor(parent, onOnly) {
		this.onOnly = onOnly;
		this.sort = null;
		this.open = new Set();
		this.box = kmp.element('div', { class: 'scroll' });
		this.foot = kmp.element('p', { class: 'detail', role: 'status' });
		parent.append(this.box, this.foot);
		this.box.addEventListener('keydown', event => {
			if (['ArrowUp', 'ArrowDown', 'Home', 'End'].includes(event.key))
				kmp.arrows(event, Array.from(this.box.querySelectorAll('.opener')));
		});
	}

	columns() {
		const data = this.data, difference = data.difference;
		const calls = data.tags ? 'Calls' : 'Allocations';
		const list = [{ name: 'Bytes', get: sums => sums.bytes, print: kmp.size }];

		if (difference)
			list.push({ name: 'Before', get: sums => sums.before, print: kmp.size },
				{ name: 'Change', get: sums => sums.bytes - sums.before, print: kmp.change,
					class: value => value > 0 ? 'grew' : value < 0 ? 'shrank' : '' });
		else
			list.push({ name: 'Share', get: sums => sums.bytes, print: bytes =>
				kmp.share(bytes, data.total.bytes), bar: true });
		if (!data.tags)
			list.push({ name: 'Pages', get: sums => sums.bytes / data.info.pageSize,
				print: kmp.count, class: () => 'less' });
		if (data.info.recordsKnown)
			list.push({ name: calls, get: sums => sums.records, print: kmp.count,
				class: () => 'less' });
		return list;
	}

	show(data, key, rows) {
		if (data !== this.data || key !== this.key) {
			this.open.clear();
			this.sort = { column: data.difference ? 2 : 0, down: true };
			this.limit = 0;
		}
		this.limit = rows || Math.max(this.limit, kmp.ROWS);
		this.data = data;
		this.key = key;
		this.draw();
	}

	sorted() {
		const columns = this.columns(), { column, down } = this.sort;
		const rows = this.data.sumsBy(this.key), sign = down ? -1 : 1;

		if (column < 0) {
			const texts = new Map(rows.map(row => [row, this.nameOf(row)]));
			const order = new Intl.Collator('en', { numeric: true });

			return rows.sort((a, b) => sign * order.compare(texts.get(a), texts.get(b)));
		}
		return rows.sort((a, b) => sign * (columns[column].get(a) - columns[column].get(b)));
	}

	nameOf(row) {
		return this.data.text(this.key, row.value);
	}

	sortBy(column) {
		const same = this.sort.column === column;

		this.sort = { column, down: same ? !this.sort.down : column >= 0 };
		this.draw();
		this.box.querySelectorAll('th button')[column < 0 ? this.columns().length : column].focus();
	}

	heading(column, number) {
		const here = this.sort.column === number;

		return kmp.element('th', { scope: 'col', class: number < 0 ? 'name' : 'number ' +
			(column.class ? column.class(0) : ''),
		'aria-sort': here ? this.sort.down ? 'descending' : 'ascending' : 'none' },
		kmp.element('button', { type: 'button', click: () => this.sortBy(number) }, column.name,
			kmp.element('span', { class: 'arrow', 'aria-hidden': 'true' },
				here ? this.sort.down ? '\u25be' : '\u25b4' : '')));
	}

	draw() {
		const rows = this.sorted(), columns = this.columns();
		const body = kmp.element('tbody', {});
		const largest = Math.max(...rows.slice(0, 1).map(row => row.bytes), 1);

		this.largest = rows.reduce((most, row) => Math.max(most, row.bytes), largest);
		for (const row of rows.slice(0, this.limit))
			this.addRow(body, row, columns);
		this.box.replaceChildren(kmp.element('table', {},
			kmp.element('caption', { class: 'unseen' }, this.key.label),
			kmp.element('thead', {}, kmp.element('tr', {},
				...columns.map((column, number) => this.heading(column, number)),
				this.heading({ name: this.key.label }, -1))), body));
		this.drawFoot(rows);
	}

	drawFoot(rows) {
		const data = this.data, shown = Math.min(rows.length, this.limit);

		this.foot.replaceChildren(rows.length ? `${kmp.count(shown)} of ` +
			`${kmp.plural(rows.length, this.key.label.toLowerCase(),
				this.key.many.toLowerCase())}, ${kmp.size(data.total.bytes)} in all.` :
			'Nothing matches.');
		if (shown < rows.length)
			this.foot.append(' ', kmp.element('button', { type: 'button', class: 'pill',
				click: () => this.more() }, `Show ${Math.min(rows.length - shown, kmp.ROWS)} more`));
	}

	more() {
		const first = this.limit;

		this.limit += kmp.ROWS;
		this.draw();
		this.box.querySelectorAll('.opener')[first].focus();
	}

	addRow(body, row, columns) {
		const open = this.open.has(row.value);
		const line = kmp.element('tr', { class: open ? 'row open' : 'row' });

		for (const column of columns) {
			const value = column.get(row);
			const cell = kmp.element('td', { class: 'number ' +
				(column.class ? column.class(value) : '') }, column.print(value));

			if (column.bar)
				cell.append(kmp.element('span', { class: 'bar', 'aria-hidden': 'true',
					style: `--part: ${(Math.max(row.bytes, 0) / this.largest * 100).toFixed(1)}%` }));
			line.append(cell);
		}
		line.append(kmp.element('td', { class: 'name' }, this.opener(row, open)));
		body.append(line);
		if (open)
			body.append(kmp.element('tr', { class: 'behind' }, kmp.element('td',
				{ colspan: columns.length + 1 }, this.behind(row))));
	}

	opener(row, open) {
		const opener = kmp.element('button', { type: 'button', class: 'opener',
			'aria-expanded': String(open), click: event => this.toggle(row, event) },
		kmp.element('span', { class: 'mark', 'aria-hidden': 'true' }, '\u25b8'));
		// Some names are longer than a page is wide: of a closed row a few lines are shown.
		const text = kmp.element('span', { class: 'text' }, kmp.element('b', {}, this.nameOf(row)));

		opener.append(text);
		if (this.key.stack && !this.data.tags)
			text.append(kmp.element('span', { class: 'callers' }, this.data
				.callersOf(row.value).slice(0, 4).map(name => ' \u2190 ' + name).join('')));
		else if (this.key.stack)
			text.append(kmp.element('span', { class: 'callers' }, ' ' +
				this.data.stacks[row.value].slice(0, -1)
					.map(frame => this.data.frames[frame]).join('/')));
		return opener;
	}

	toggle(row) {
		if (!this.open.delete(row.value))
			this.open.add(row.value);
		this.draw();
		const again = Array.from(this.box.querySelectorAll('tr.row'))
			[this.sorted().findIndex(other => other.value === row.value)];

		if (again)
			again.querySelector('.opener').focus();
	}

	// The trace, and who holds it: the other keys' largest values.
	behind(row) {
		const data = this.data, number = this.key.number;
		const cells = data.selected.filter(cell => cell.values[number] === row.value);
		const inside = kmp.element('div', { class: 'inside' });

		if (this.key.stack && !data.tags)
			inside.append(kmp.element('ol', { class: 'trace' }, ...data.stacks[row.value]
				.slice().reverse().map(frame => kmp.element('li', {}, data.frames[frame]))));
		for (const key of data.toldKeys().filter(other => other !== this.key))
			inside.append(this.part(key, cells, row));
		inside.append(kmp.element('button', { type: 'button', class: 'pill',
			click: () => this.onOnly([{ key: this.key, value: row.value }]) },
		'Show only this everywhere'));
		return inside;
	}

	part(key, cells, row) {
		const sums = this.data.sumsBy(key, cells), list = kmp.element('ul', {});

		for (const sum of sums.slice(0, 5))
			list.append(kmp.element('li', {}, kmp.element('span', { class: 'size' },
				this.data.difference ? kmp.change(sum.bytes - sum.before) :
					kmp.size(sum.bytes)), ' ', this.data.text(key, sum.value)));
		if (sums.length > 5)
			list.append(kmp.element('li', { class: 'soft' },
				`and ${kmp.count(sums.length - 5)} more`));
		return kmp.element('div', { class: 'part' }, kmp.element('h3', {},
			sums.length > 1 ? key.many : key.label), list);
	}
};

kmp.ROWS = 100;
kmp.FIRST_ROWS = 25;
