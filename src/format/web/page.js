// SPDX-License-Identifier: GPL-2.0-only
// The page: head, search and filters, and its parts, each drawn anew when the selection changes.
kmp.Page = class {
	// Where figures come from afar, who asked for them sees the table first: sets are theirs then.
	constructor(root, from, sets) {
		this.root = root;
		this.from = from;
		this.sets = sets || from.sets.map(set => new kmp.Data(set));
		this.tableFirst = Boolean(sets);
		this.data = this.sets[0];
		this.head();
		this.bar();
		this.parts();
		this.choose(this.data);
		this.width = root.clientWidth;
		new ResizeObserver(() => this.resized()).observe(root);
		document.addEventListener('keydown', event => this.keydown(event));
	}

	// The pictures are drawn to the width that there is.
	resized() {
		if (this.root.clientWidth === this.width)
			return;
		this.width = this.root.clientWidth;
		this.draw();
	}

	head() {
		const from = this.from;

		this.theme = new kmp.Theme();
		this.tiles = kmp.element('dl', { class: 'tiles' });
		this.root.append(kmp.element('header', {},
			kmp.element('div', { class: 'title' },
				kmp.element('h1', {}, from.title),
				kmp.element('p', { class: 'soft' }, from.source.join(' \u00b7 '))),
			this.theme.button, this.tiles));
		if (from.warnings.length)
			this.root.append(kmp.element('ul', { class: 'warning', 'aria-label': 'To be known' },
				...from.warnings.map(text => kmp.element('li', {}, text))));
	}

	bar() {
		this.input = kmp.element('input', { type: 'search', id: 'search', autocomplete: 'off',
			spellcheck: 'false', placeholder: 'Search stacks, tasks, \u2026 ( / )',
			'aria-label': 'Search; /\u2026/ is a regular expression',
			input: () => this.search() });
		this.chips = kmp.element('div', { class: 'chips', role: 'group',
			'aria-label': 'Filters' });
		this.found = kmp.element('span', { class: 'soft found', role: 'status' });
		this.root.append(kmp.element('div', { class: 'bar-top', role: 'search' },
			this.setChoice(), this.input, this.found, this.chips));
	}

	setChoice() {
		const choice = kmp.element('div', { class: 'choice', role: 'group',
			'aria-label': 'What is shown' });

		if (this.sets.length < 2)
			return null;
		this.setButtons = this.sets.map(set => kmp.element('button', { type: 'button',
			class: 'pill', click: () => this.choose(set) }, set.tags ? 'Tags' : 'Page owners'));
		choice.append(...this.setButtons);
		return choice;
	}

	section(title, name) {
		const section = kmp.element('section', { class: 'card ' + name,
			'aria-labelledby': 'h-' + name }, kmp.element('h2', { id: 'h-' + name }, title));

		this.root.append(section);
		return section;
	}

	parts() {
		const only = steps => this.only(steps);

		if (this.from.timelines.length)
			this.chart = new kmp.Chart(this.section('Over time', 'time'), this.from.timelines,
				name => this.searchFor(name));
		this.mapSection = this.section('Where it is', 'where');
		this.map = new kmp.Treemap(this.mapSection, only);
		this.flameSection = this.section('Who asked for it', 'who');
		this.flame = new kmp.FlameView(this.flameSection, this.from.hueLabels);
		const tables = this.section('Tables', 'tables');
		this.tabs = kmp.element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Tables',
			keydown: event => kmp.arrows(event, Array.from(this.tabs.children)) });
		this.panel = kmp.element('div', { role: 'tabpanel', id: 'panel' });
		tables.append(this.tabs, this.panel);
		this.table = new kmp.Table(this.panel, only);
	}

	choose(data) {
		this.data = data;
		this.key = data.stackKey || data.plainKeys()[0];
		this.input.value = data.search;
		(this.setButtons || []).forEach((button, number) =>
			button.setAttribute('aria-pressed', String(this.sets[number] === data)));
		this.mapSection.hidden = !data.plainKeys().length;
		this.flameSection.hidden = !data.stackKey;
		this.drawTabs();
		this.draw();
	}

	drawTabs() {
		this.tabs.replaceChildren(...this.data.toldKeys().map(key => kmp.element('button', { type: 'button',
			role: 'tab', id: 'tab-' + key.name, 'aria-controls': 'panel',
			'aria-selected': String(key === this.key), tabindex: key === this.key ? 0 : -1,
			click: () => this.chooseTab(key), focus: () => this.chooseTab(key) },
		key.many)));
		this.panel.setAttribute('aria-labelledby', 'tab-' + this.key.name);
	}

	chooseTab(key) {
		if (key === this.key)
			return;
		this.key = key;
		for (const tab of this.tabs.children) {
			const here = tab.id === 'tab-' + key.name;

			tab.setAttribute('aria-selected', String(here));
			tab.setAttribute('tabindex', here ? 0 : -1);
		}
		this.panel.setAttribute('aria-labelledby', 'tab-' + key.name);
		this.table.show(this.data, key);
	}

	search() {
		clearTimeout(this.typed);
		this.typed = setTimeout(() => this.searchNow(), this.data.count > 3000 ? 150 : 0);
	}

	searchNow() {
		const known = this.data.find(this.input.value);

		this.input.setAttribute('aria-invalid', String(!known));
		if (known)
			this.draw();
		else
			this.found.textContent = 'not a regular expression';
	}

	searchFor(name) {
		this.input.value = name;
		this.searchNow();
	}

	only(steps) {
		for (const step of steps) {
			if (this.data.filters.get(step.key.number) !== step.value)
				this.data.toggle(step.key, step.value);
		}
		this.map.path = [];
		this.draw();
	}

	drawChips() {
		const data = this.data;

		this.chips.replaceChildren(...Array.from(data.filters, ([number, value]) => {
			const key = data.keys[number];

			return kmp.element('button', { type: 'button', class: 'chip', 'aria-label':
				`Remove the filter ${key.label} ${data.text(key, value)}`,
			click: () => {
				data.toggle(key, value);
				this.draw();
				this.input.focus();
			} }, `${key.label}: ${data.text(key, value)}`, kmp.element('span',
				{ 'aria-hidden': 'true' }, ' \u00d7'));
		}));
		this.found.textContent = data.search || data.filters.size ?
			`${kmp.size(data.total.bytes)} (${kmp.share(data.total.bytes,
				data.info.total.bytes)}) selected` : '';
	}

	tile(name, value, more) {
		return kmp.element('div', { class: 'tile' }, kmp.element('dt', {}, name),
			kmp.element('dd', {}, value, more ? kmp.element('small', {}, more) : null));
	}

	drawTiles() {
		const data = this.data, total = data.total, change = total.bytes - total.before;
		const tiles = [this.tile('Memory', kmp.size(total.bytes), data.difference ?
			kmp.change(change) : '')];

		if (!data.tags)
			tiles.push(this.tile('Pages', kmp.count(total.bytes / data.info.pageSize)));
		if (data.info.recordsKnown)
			tiles.push(this.tile(data.tags ? 'Calls' : 'Allocations', kmp.count(total.records)));
		for (const key of data.toldKeys().slice(0, 2))
			tiles.push(this.tile(key.many, kmp.count(data.sumsBy(key).length)));
		this.tiles.replaceChildren(...tiles);
	}

	draw() {
		this.drawTiles();
		this.drawChips();
		if (this.tableFirst) {
			this.drawTableFirst();
			return;
		}
		this.table.show(this.data, this.key);
		this.drawPictures();
	}

	// As many rows as are seen at once, and room for what stands above them.
	drawTableFirst() {
		this.map.reserve();
		this.flame.reserve(this.data);
		this.table.show(this.data, this.key, kmp.FIRST_ROWS);
		kmp.afterPaint(() => {
			this.tableFirst = false;
			this.table.show(this.data, this.key);
			this.drawPictures();
		});
	}

	drawPictures() {
		if (!this.mapSection.hidden)
			this.map.show(this.data);
		if (this.chart)
			this.chart.draw();
		if (!this.flameSection.hidden)
			this.flame.show(this.data);
	}

	keydown(event) {
		const typing = event.target === this.input;

		if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
			event.preventDefault();
			this.input.focus();
			this.input.select();
		} else if (event.key === 'Escape' && (this.input.value || this.data.filters.size)) {
			this.input.value = '';
			this.data.clear();
			this.draw();
		}
	}
};

// As the system has it until the reader chooses; nothing is kept beyond the page.
kmp.Theme = class {
	constructor() {
		const dark = matchMedia('(prefers-color-scheme: dark)');

		this.dark = dark.matches;
		this.button = kmp.element('button', { type: 'button', class: 'pill theme',
			click: () => this.set(!this.dark, true) });
		this.set(this.dark, false);
		dark.addEventListener('change', event => {
			if (!this.chosen)
				this.set(event.matches, false);
		});
	}

	set(dark, chosen) {
		this.dark = dark;
		this.chosen = chosen;
		document.documentElement.dataset.theme = dark ? 'dark' : 'light';
		this.button.textContent = dark ? '\u2600 Light' : '\u263e Dark';
	}
};

kmp.start = function () {
	const from = JSON.parse(document.getElementById('data').textContent);

	kmp.page = new kmp.Page(document.querySelector('main'), from);
};
