// SPDX-License-Identifier: GPL-2.0-only
// Put into the flame graph behind its own script: uses it as a person would and prints TAP lines
// into <text class="result">, which the test reads out of the dumped document.
(function () {
	'use strict';
	var root = document.documentElement, lines = [], count = 0;
	var find = function (selector) { return root.querySelector(selector); };
	var all = function (selector) { return Array.from(root.querySelectorAll(selector)); };
	var input = find('input');

	function ok(true_, what) {
		count++;
		lines.push((true_ ? 'ok ' : 'not ok ') + count + ' - ' + what);
	}

	function box(start) {
		return all('.box').find(function (b) {
			return b.querySelector('title').textContent.startsWith(start);
		});
	}

	function width(start) {
		var b = box(start);

		return b ? Number(b.querySelector('rect').getAttribute('width')) : 0;
	}

	function detail() {
		return find('.detail').textContent;
	}

	function send(target, type, init) {
		var event = type === 'keydown' ? new KeyboardEvent(type, init) :
			new MouseEvent(type, init);

		target.dispatchEvent(event);
		return event;
	}

	function key(target, name, more) {
		return send(target, 'keydown', Object.assign({ key: name, bubbles: true,
			cancelable: true }, more));
	}

	function click(target) {
		send(target, 'click', { bubbles: true });
	}

	function type(text) {
		input.value = text;
		input.dispatchEvent(new Event('input', { bubbles: true }));
	}

	function near(a, b) {
		return Math.abs(a - b) < 2;
	}

	function layout() {
		var room = width('all:'), base = Number(box('all:').querySelector('rect')
			.getAttribute('y'));

		ok(near(room, window.innerWidth - 20), 'the graph takes the window\'s width');
		ok(near(width('nginx:'), room * 30 / 93), 'a box is as wide as its share');
		ok(all('.box rect').every(function (r) { return Number(r.getAttribute('y')) <= base; }),
			'the root is at the bottom');
		ok(all('.box').length < 320, 'what is too narrow stands as one box');
		ok(find('.reset').classList.contains('hide'), 'nothing to reset at first');
	}

	function hover() {
		send(box('nginx:').querySelector('rect'), 'mouseover', { bubbles: true });
		ok(detail() === 'nginx: 11.4 GiB (32.3 %)', 'hover shows name, bytes, share: ' +
			detail());
		ok(box('nginx:').querySelector('title').textContent === detail(),
			'so does the tooltip');
	}

	function names() {
		var hostile = box('">');

		ok(window.harmed === undefined, 'no name was executed');
		ok(root.querySelectorAll('img').length === 0, 'no name became an element');
		ok(hostile && hostile.querySelector('title').textContent.startsWith(
			'"><img src=x onerror="window.harmed=1">\\n\\x01\\xff: '), 'a name is its text');
		ok(box('<script>window.harmed=1</script>: ') !== undefined, 'a frame too');
		ok(box('xfs_write [xfs]: ') !== undefined, 'a module stays with its function');
	}

	function zoom() {
		var room = width('all:');

		click(box('nginx:').querySelector('rect'));
		ok(near(width('nginx:'), room), 'a click zooms in');
		ok(near(width('all:'), room), 'what is beneath stays');
		ok(!box('swapper:') && !box('boot:'), 'what is beside goes');
		ok(!find('.reset').classList.contains('hide'), 'there is something to reset');
		click(find('.reset'));
		ok(near(width('nginx:'), room * 30 / 93), 'reset zooms out');
		click(box('boot:'));
		ok(width('small_000:') > 2, 'what was too narrow is drawn when zoomed into');
		click(box('all:'));
		ok(near(width('nginx:'), room * 30 / 93), 'a click on the root zooms out');
	}

	function keys() {
		var room = width('all:'), there;

		click(box('all:'));
		ok(document.activeElement === box('all:'), 'the box zoomed into has the focus');
		key(document.activeElement, 'ArrowUp');
		ok(detail().startsWith('">'), 'up goes to the largest above');
		key(document.activeElement, 'ArrowRight');
		ok(detail().startsWith('nginx'), 'right goes to the one beside');
		key(document.activeElement, 'ArrowDown');
		ok(document.activeElement === box('all:'), 'down goes to the one beneath');
		key(document.activeElement, 'ArrowUp');
		key(document.activeElement, 'ArrowRight');
		key(document.activeElement, 'Enter');
		ok(near(width('nginx:'), room), 'Enter zooms in');
		key(document.activeElement, 'Escape');
		ok(near(width('nginx:'), room * 30 / 93), 'Escape zooms out');
		there = key(root, 'f', { ctrlKey: true });
		ok(there.defaultPrevented && document.activeElement === input, 'Ctrl-F searches');
		there = key(input, 'f', { ctrlKey: true });
		ok(!there.defaultPrevented, 'a second Ctrl-F is the browser\'s');
		input.blur();
		key(root, '/');
		ok(document.activeElement === input, 'a slash searches');
		ok(all('.box[tabindex="0"]').length === 1, 'one box is in the order of the tab key');
	}

	function search() {
		type('ALLOC_pages');
		ok(find('.matched').textContent === 'matched 34.3 GiB (96.8 %), 2 boxes',
			'search tells the bytes: ' + find('.matched').textContent);
		ok(all('.box.hit').length === 2, 'and marks the boxes');
		type('e');
		ok(find('.matched').textContent.startsWith('matched 35.5 GiB (100.0 %)'),
			'a match within a match counts once: ' + find('.matched').textContent);
		type('/^small_00[0-4]$/');
		ok(/^matched 19.5 MiB .*, 5 boxes$/.test(find('.matched').textContent),
			'slashes make it a regular expression: ' + find('.matched').textContent);
		type('/(/');
		ok(find('.matched').textContent === 'not a regular expression', 'a bad one is told');
		type('nowhere');
		ok(find('.matched').textContent.startsWith('matched 0 B (0'), 'nothing is told: ' +
			find('.matched').textContent);
		key(input, 'Escape');
		ok(input.value === '' && find('.matched').textContent === '' &&
			all('.box.hit').length === 0, 'Escape clears the search');
	}

	try {
		[layout, hover, names, zoom, keys, search].forEach(function (test) { test(); });
	} catch (error) {
		ok(false, 'exception: ' + error.message);
	}
	var result = document.createElementNS('http://www.w3.org/2000/svg', 'text');

	result.setAttribute('class', 'result');
	result.textContent = '\n' + lines.join('\n') + '\n1..' + count + '\n';
	root.appendChild(result);
})();
