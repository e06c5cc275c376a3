// SPDX-License-Identifier: GPL-2.0-only
// The flame graph as a document of its own: its data from <metadata>, the search box, the window.
(function () {
	'use strict';
	var script = document.currentScript;
	var root = (script && script.ownerSVGElement) || document.documentElement;
	var find = function (name) { return root.querySelector('.' + name); };
	var data = JSON.parse(find('data').textContent);
	var input = root.querySelector('input'), matched = find('matched');
	var alone = root === document.documentElement;
	var graph = kmpFlame({ root: root, layer: find('boxes'), detail: find('detail'),
		reset: find('reset'), least: 0.25, titles: true });

	// A part of the name, or /an expression/; null for an expression that is none.
	function matcher(text) {
		var wanted = text.toLowerCase(), pattern;

		if (text.length > 2 && text[0] === '/' && text[text.length - 1] === '/') {
			try {
				pattern = new RegExp(text.slice(1, -1), 'i');
			} catch (e) {
				return null;
			}
			return function (name) { return pattern.test(name); };
		}
		return function (name) { return name.toLowerCase().includes(wanted); };
	}

	function search(text) {
		var matches = text ? matcher(text) : null, found;

		if (text && !matches) {
			matched.textContent = 'not a regular expression';
			return;
		}
		found = graph.search(matches);
		matched.textContent = text ? 'matched ' + graph.size(found.bytes) + ' (' +
			graph.share(found.bytes, graph.total()) + '), ' + found.count +
			(found.count === 1 ? ' box' : ' boxes') : '';
	}

	function key(event) {
		var typing = event.target === input;
		var wanted = event.key === '/' || event.key === 'f' && (event.ctrlKey || event.metaKey);

		if (wanted && !typing) {
			event.preventDefault();
			input.focus();
			input.select();
		} else if (event.key === 'Escape' && input.value) {
			input.value = '';
			search('');
		} else if (!typing || event.key === 'Escape') {
			graph.key(event);
		}
	}

	// As the only thing in the window the graph takes its width, so that text keeps its size.
	function fit() {
		var width = alone && window.innerWidth ? Math.max(760, window.innerWidth) : data.width;

		if (width !== data.width) {
			root.setAttribute('width', width);
			root.setAttribute('viewBox', '0 0 ' + width + ' ' + data.height);
			root.querySelectorAll('.right').forEach(function (right) {
				right.setAttribute('transform', 'translate(' + (width - data.width) + ' 0)');
			});
		}
		graph.resize(width);
	}

	data.margin = 10;
	graph.load(data, null);
	input.addEventListener('input', function () { search(input.value); });
	(alone ? window : root).addEventListener('keydown', key);
	window.addEventListener('resize', fit);
	fit();
})();
