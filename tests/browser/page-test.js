// SPDX-License-Identifier: GPL-2.0-only
// Put into the page behind its own script: uses it as a person would and prints TAP lines into
// <pre class="result">, which the test reads out of the dumped document.
(function () {
	'use strict';
	const lines = [], errors = [];
	const find = selector => document.querySelector(selector);
	const all = selector => Array.from(document.querySelectorAll(selector));
	const PAGE = 4096;

	window.addEventListener('error', event => errors.push(event.message));
	document.addEventListener('securitypolicyviolation', event =>
		errors.push(event.violatedDirective));

	function ok(holds, what) {
		lines.push((holds ? 'ok ' : 'not ok ') + (lines.length + 1) + ' - ' + what);
	}

	function same(got, wanted, what) {
		ok(got === wanted, what + (got === wanted ? '' : ': ' + got + ', not ' + wanted));
	}

	function click(target) {
		target.dispatchEvent(new MouseEvent('click', { bubbles: true }));
	}

	function key(target, name, more) {
		const event = new KeyboardEvent('keydown', Object.assign({ key: name, bubbles: true,
			cancelable: true }, more));

		target.dispatchEvent(event);
		return event;
	}

	function type(text) {
		const input = find('#search');

		input.value = text;
		kmp.page.searchNow();
	}

	function names() {
		return all('.row .opener b').map(b => b.textContent);
	}

	function figures(column) {
		return all('.row').map(row => row.cells[column].textContent);
	}

	function tile(name) {
		const here = all('.tile').find(other => other.querySelector('dt').textContent === name);

		return here ? here.querySelector('dd').firstChild.textContent : '';
	}

	function area(text) {
		return all('.area').find(other => other.getAttribute('aria-label').startsWith(text));
	}

	function box(name) {
		return all('.box').find(other => other.box.name === name);
	}

	function harmless() {
		same(window.harmed, undefined, 'no name was executed');
		same(document.querySelectorAll('img').length, 0, 'no name became an element');
		same(document.querySelectorAll('script').length, 3, 'no script but ours');
		same(performance.getEntriesByType('resource').length, 0, 'nothing was loaded');
	}

	function tiles() {
		same(tile('Memory'), '35.5 GiB', 'the sum');
		same(tile('Pages'), '9\u202f300\u202f000', 'the pages');
		same(tile('Stacks'), '302', 'the stacks');
		same(tile('Tasks'), '3', 'the tasks');
	}

	function sorting() {
		const heads = all('th button'), bytes = kmp.page.data.sumsBy(kmp.page.data.stackKey)
			.map(row => row.bytes);

		ok(bytes.every((value, at) => !at || value <= bytes[at - 1]), 'largest first');
		same(names()[0], 'xfs_write [xfs]', 'a stack is named by the function that asked');
		same(find('th[aria-sort=descending] button').textContent.slice(0, 5), 'Bytes',
			'the heading tells how it is sorted');
		click(heads[0]);
		same(figures(0)[0], kmp.size(1000 * PAGE), 'a click turns the order round');
		click(all('th button').at(-1));
		same(names()[0], '<script>window.harmed=1<\/script>', 'by name');
		same(find('th[aria-sort=ascending] button').textContent.slice(0, 5), 'Stack', 'rising');
		ok(document.activeElement === find('th[aria-sort=ascending] button'),
			'the heading keeps the focus');
		click(all('th button')[0]);
	}

	function rows() {
		same(all('.row').length, 100, 'a hundred rows at first');
		click(find('.tables p button'));
		same(all('.row').length, 200, 'more when asked');
		ok(document.activeElement === all('.opener')[100], 'and the focus on the first of them');
		click(all('.opener')[0]);
		same(find('.trace').children.length, 3, 'a row opens to its trace');
		same(find('.trace li').textContent, 'alloc_pages+0x1/0x2', 'innermost first');
		same(all('.opener')[0].getAttribute('aria-expanded'), 'true', 'and says so');
		key(all('.opener')[0], 'ArrowDown');
		ok(document.activeElement === all('.opener')[1], 'arrows go from row to row');
		click(all('.opener')[0]);
		same(all('.trace').length, 0, 'and closes');
	}

	function tabs() {
		click(find('#tab-comm'));
		same(names().join('|'), '"><img src=x onerror="window.harmed=1">\\n\\x01\\xff|nginx|swapper',
			'tasks by name, made visible');
		key(find('#tab-comm'), 'ArrowRight');
		same(document.activeElement.id, 'tab-node', 'arrows go from tab to tab');
		same(find('[role=tab][aria-selected=true]').id, 'tab-node', 'and choose it');
		same(names().join('|'), 'node 0|node 1', 'nodes');
		click(find('#tab-stack'));
	}

	function searching() {
		type('NGINX');
		same(tile('Memory'), kmp.size(3000000 * PAGE), 'search by task');
		same(find('.found').textContent, '11.4 GiB (32.3 %) selected', 'and what that is of all');
		same(all('.row').length, 1, 'the table follows');
		same(box('all').box.bytes, 3000000 * PAGE, 'the flame graph follows');
		type('xfs_');
		same(tile('Memory'), kmp.size(6000000 * PAGE), 'search by function');
		ok(box('xfs_write [xfs]').classList.contains('hit'), 'which is marked');
		type('/small_00[0-4]/');
		same(tile('Memory'), '19.5 MiB', 'by expression');
		type('/(/');
		same(find('.found').textContent, 'not a regular expression', 'a bad one is told');
		type('nowhere');
		same(all('.row').length, 0, 'nothing is shown as nothing');
		same(tile('Memory'), '0 B', 'nothing is 0');
		key(find('#search'), 'Escape');
		same(tile('Memory'), '35.5 GiB', 'Escape ends it');
		find('#search').blur();
		ok(key(document.body, '/').defaultPrevented, 'a slash is for search');
		ok(document.activeElement === find('#search'), 'and goes there');
	}

	function filtering() {
		click(find('#tab-comm'));
		click(all('.opener')[1]);
		click(find('.inside > button'));
		same(find('.chip').textContent, 'Task: nginx \u00d7', 'only one task');
		same(tile('Memory'), kmp.size(3000000 * PAGE), 'everywhere');
		click(find('.chip'));
		same(all('.chip').length, 0, 'the filter goes');
		same(tile('Memory'), '35.5 GiB', 'and all is there again');
		click(find('#tab-stack'));
	}

	function mapping() {
		const whole = Number(find('.map').getAttribute('viewBox').split(' ')[2]);
		const outer = area('node 0: '), room = outer.querySelector('rect');

		ok(Math.abs(Number(room.getAttribute('width')) / whole - 6150 / 9300) < 0.003,
			'an area is as large as its share: ' + room.getAttribute('width') / whole);
		click(outer);
		same(find('.crumbs button').textContent, 'all', 'a click zooms in');
		ok(!area('node 1: '), 'what is beside goes');
		ok(document.activeElement.classList.contains('area'), 'the focus stays in the map');
		key(document.activeElement, 'Escape');
		ok(area('node 1: '), 'Escape zooms out');
		click(all('.where .choice button')[0]);
		ok(!area('node 0'), 'a level can be left out');
		click(all('.where .choice button')[0]);
		click(area('node 1: '));
		click(all('.crumbs .pill')[0]);
		same(find('.chip').textContent, 'Node: node 1 \u00d7', 'an area can be made the filter');
		key(document.body, 'Escape');
		same(all('.chip').length, 0, 'Escape ends that too');
	}

	function zooming() {
		const width = name => Number(box(name).querySelector('rect').getAttribute('width'));
		const room = width('all');

		ok(Math.abs(width('xfs_write [xfs]') / room - 60 / 93) < 0.01, 'as wide as its share');
		click(box('xfs_write [xfs]'));
		ok(Math.abs(width('xfs_write [xfs]') - room) < 2, 'a click zooms in');
		ok(!find('.who .pill').classList.contains('hide'), 'and can be undone');
		key(document.activeElement, 'Escape');
		ok(width('xfs_write [xfs]') < room * 0.7, 'by Escape');
		ok(box('<script>window.harmed=1<\/script>'), 'a name is its text');
	}

	function charting() {
		const chart = find('.over-time'), bands = all('.over-time polygon');
		const tops = bands.map(band => Math.min(...band.getAttribute('points').split(' ')
			.map(point => Number(point.split(',')[1]))));

		same(bands.length, 3, 'two owners, and the others');
		ok(tops[0] > tops[1] && tops[1] > tops[2], 'one on top of the other');
		same(all('.time .legend button').map(b => b.textContent).join('|'),
			'grows 20.0 MiB (+20.0 MiB)|</scr' + 'ipt><img src=x> 8.0 MiB|all others 2.0 MiB',
			'named, with what they hold now and by how much they grew');
		key(chart, 'Home');
		ok(/: 10\.0 MiB in all; <\/script><img src=x> 8\.0 MiB, all others 2\.0 MiB$/
			.test(find('.time .detail').textContent), 'a moment\'s figures');
		key(chart, 'ArrowRight');
		ok(/ 11\.0 MiB in all/.test(find('.time .detail').textContent), 'arrows go through time');
		click(find('.time .legend button'));
		same(all('.over-time polygon').length, 1, 'one alone');
		click(find('.time .legend .link'));
		same(find('#search').value, 'grows', 'which can be searched for');
		key(find('#search'), 'Escape');
		click(find('.time .legend button'));
		same(all('.over-time polygon').length, 3, 'all again');
	}

	function theme() {
		const before = getComputedStyle(document.body).backgroundColor;

		click(find('.theme'));
		ok(getComputedStyle(document.body).backgroundColor !== before, 'dark and light');
		click(find('.theme'));
		same(getComputedStyle(document.body).backgroundColor, before, 'and back');
	}

	function reachable() {
		ok(all('button, input').every(one => one.textContent.trim() ||
			one.getAttribute('aria-label')), 'every control has a name');
		same(all('.map [tabindex="0"]').length, 1, 'the map is one stop of the tab key');
		same(find('.map').getAttribute('tabindex') + find('.boxes').getAttribute('tabindex'), '-1-1',
			'none of them by itself');
		same(all('.boxes [tabindex="0"]').length, 1, 'so is the flame graph');
		same(all('[role=tab][tabindex="0"]').length, 1, 'so are the tabs');
	}

	for (const test of [harmless, tiles, sorting, rows, tabs, searching, filtering, mapping, charting,
		zooming, theme, reachable]) {
		try {
			test();
		} catch (error) {
			ok(false, test.name + ': exception: ' + error.message);
		}
	}
	same(errors.join('; '), '', 'no errors');
	const result = document.createElement('pre');

	result.className = 'result';
	result.textContent = '\n' + lines.join('\n') + '\n1..' + lines.length + '\n';
	document.body.append(result);
})();
