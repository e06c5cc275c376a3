// SPDX-License-Identifier: GPL-2.0-only
// The page of a server: the figures are fetched again and again, of the page owners for which an
// expression holds; what the reader has chosen stays.
kmp.Live = class {
	constructor(root) {
		const from = new URLSearchParams(location.hash.slice(1));

		this.root = root;
		this.where = from.get('where') || '';
		this.moments = [];
		this.makeBar();
		root.before(this.bar);
		this.load();
		setInterval(() => this.tick(), 5000);
	}

	makeBar() {
		this.input = kmp.element('input', { id: 'where', autocomplete: 'off', spellcheck: 'false',
			value: this.where, placeholder: 'order>=3 && comm==nginx',
			'aria-describedby': 'wrong' });
		this.pause = kmp.element('button', { type: 'button', class: 'pill',
			'aria-pressed': 'false', click: () => this.toggle() }, 'Pause');
		this.state = kmp.element('span', { class: 'state', role: 'status' }, 'loading');
		this.wrong = kmp.element('pre', { id: 'wrong', role: 'alert', hidden: true });
		this.sick = kmp.element('p', { class: 'warning', role: 'status', hidden: true });
		this.bar = kmp.element('form', { class: 'live', submit: event => this.submit(event) },
			kmp.element('label', { for: 'where' }, 'Only where'), this.input,
			kmp.element('button', { class: 'pill' }, 'Show'), this.pause, this.state, this.wrong,
			this.sick);
	}

	submit(event) {
		event.preventDefault();
		this.where = this.input.value.trim();
		this.moments = [];
		this.tag = null;
		history.replaceState(null, '', this.where ?
			'#' + new URLSearchParams({ where: this.where }) : location.pathname);
		this.load();
	}

	toggle() {
		this.paused = !this.paused;
		this.pause.setAttribute('aria-pressed', String(this.paused));
		if (!this.paused)
			this.load();
	}

	// Who is at something is not disturbed.
	tick() {
		const at = document.activeElement;

		if (!this.paused && !this.loading && document.visibilityState === 'visible' &&
			(!at || at === document.body || this.bar.contains(at)))
			this.load();
	}

	async load() {
		const path = 'page/data' + (this.where ? '?' + new URLSearchParams({ where: this.where }) :
			'');

		this.loading = true;
		try {
			const headers = {};

			if (this.token)
				headers.Authorization = 'Bearer ' + this.token;
			if (this.tag)
				headers['If-None-Match'] = this.tag;
			// The first time the browser has it on its way already: index.html says so.
			const answer = await fetch(path, this.page || this.where || this.token ?
				{ headers, cache: 'no-store' } : {});

			if (answer.status === 401)
				this.askToken();
			else if (answer.status === 304)
				this.seen();
			else if (answer.ok)
				this.take(await answer.json(), answer.headers.get('ETag'));
			else
				this.fault((await answer.json()).error);
			this.tell(await this.health());
		} catch (error) {
			this.tell('the server does not answer');
		}
		this.loading = false;
	}

	// What is shown may be old, since the source cannot be read any more: the server says so.
	async health() {
		const answer = await fetch('healthz', { cache: 'no-store' });

		return answer.ok ? '' : (await answer.text()).trim();
	}

	tell(text) {
		this.sick.textContent = text.slice(0, 1).toUpperCase() + text.slice(1) + (text && this.page ?
			'. What is shown is the last sample.' : '');
		this.sick.hidden = !text;
	}

	fault(text) {
		this.wrong.textContent = text;
		this.wrong.hidden = false;
		this.input.setAttribute('aria-invalid', 'true');
		this.state.textContent = '';
	}

	// The word is kept by this page alone, until it is closed.
	askToken() {
		if (this.asking)
			return;
		this.asking = kmp.element('input', { type: 'password', autocomplete: 'off',
			'aria-label': 'Token', placeholder: 'Token' });
		this.state.textContent = '';
		this.root.replaceChildren(kmp.element('form', { class: 'card token', submit: event => {
			event.preventDefault();
			this.token = this.asking.value;
			this.asking = null;
			this.load();
		} }, kmp.element('p', {}, this.token ? 'That is not its token.' :
			'This server tells its figures to those who know its token.'), this.asking,
		kmp.element('button', { class: 'pill' }, 'Go on')));
		this.page = null;
		this.asking.focus();
	}

	// The tag names a sample: its number, and its time in nanoseconds.
	seen() {
		const time = /-(\d+)"$/.exec(this.tag);

		this.wrong.hidden = true;
		this.input.setAttribute('aria-invalid', 'false');
		this.state.textContent = time ? 'sample of ' + kmp.moment(Number(time[1]) / 1e6, 0) : '';
	}

	take(from, tag) {
		this.tag = tag;
		this.seen();
		const sets = from.sets.map(set => new kmp.Data(set));

		if (!from.timelines.length)
			from.timelines = this.timelines(sets[0]);
		if (this.page) {
			this.page.renew(from, sets);
		} else {
			this.root.replaceChildren();
			kmp.afterPaint(() => {
				document.documentElement.dataset.ready = '';
				console.info(`first table after ${Math.round(performance.now())} ms`);
			});
			kmp.page = this.page = new kmp.Page(this.root, from, sets);
		}
		document.title = from.title + ' \u00b7 kmemprof';
	}

	// What was seen since the page was opened: the largest by task, or by the first key there is.
	timelines(data) {
		const key = data.key('comm') || data.plainKeys()[0];

		if (!key)
			return [];
		this.moments.push({ time: Date.now(), total: data.total.bytes, sums: new Map(
			data.sumsBy(key).map(row => [key.values[row.value], row.bytes])) });
		this.moments = this.moments.slice(-720);
		const largest = Array.from(this.moments.at(-1).sums).sort((a, b) => b[1] - a[1]).slice(0, 7);

		return [{ key: key.name, unit: data.tags ? 'tags' : 'pages',
			times: this.moments.map(moment => moment.time),
			total: this.moments.map(moment => moment.total),
			owners: largest.map(([name]) => ({ name,
				bytes: this.moments.map(moment => moment.sums.get(name) || 0) })) }];
	}
};

// New figures in the same page: what was searched for, filtered and opened stays, as far as it is
// still there.
kmp.Page.prototype.renew = function (from, sets) {
	const old = this.sets, at = old.indexOf(this.data), key = this.key.name;
	const same = from.sets.length === old.length;

	if (!same || (this.chart === undefined) !== !from.timelines.length) {
		this.root.replaceChildren();
		kmp.page = Object.assign(this, { from, sets, setButtons: null, chart: undefined });
		this.head();
		this.bar();
		this.parts();
		this.choose(this.sets[0]);
		return;
	}
	this.from = from;
	this.sets = sets.map((set, number) => kmp.carry(old[number], set));
	this.data = this.sets[at];
	this.key = this.data.keys.find(other => other.name === key && other.told) ||
		this.data.stackKey || this.data.plainKeys()[0];
	(this.setButtons || []).forEach((button, number) => button.replaceWith(
		this.setButtons[number] = kmp.element('button', { type: 'button', class: 'pill',
			'aria-pressed': String(number === at), click: () => this.choose(this.sets[number]) },
		button.textContent)));
	this.drawTabs();
	if (this.chart)
		this.chart.renew(from.timelines);
	this.draw();
};

// The filters of these figures, for those: by what a value is, since its number is another.
kmp.carry = function (from, to) {
	const text = (data, key, value) => key.stack ?
		data.stacks[value].map(frame => data.frames[frame]).join('\n') : key.values[value];

	to.search = from.search;
	for (const [number, value] of from.filters) {
		const key = from.keys[number], other = to.keys[number], wanted = text(from, key, value);
		const found = other.values.findIndex((unused, place) => text(to, other, place) === wanted);

		if (found >= 0)
			to.filters.set(number, found);
	}
	to.select();
	return to;
};

kmp.Chart.prototype.renew = function (timelines) {
	const key = this.line && this.line.key;

	this.timelines = timelines.filter(timeline => timeline.times.length > 1);
	this.root.parentNode.hidden = !this.timelines.length;
	const line = this.timelines.find(timeline => timeline.key === key) || this.timelines[0];

	if (line)
		this.choose(line);
};

kmp.live = new kmp.Live(document.querySelector('main'));
