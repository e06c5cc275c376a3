// SPDX-License-Identifier: GPL-2.0-only
// What all parts of the page use: elements, and figures as people read them. Texts become text
// nodes and never markup.
'use strict';

const kmp = {};

// An element: kmp.element('td', { class: 'number' }, 'text', child, …). A function is a listener.
kmp.element = function (name, attributes, ...children) {
	const made = document.createElement(name);

	kmp.dress(made, attributes);
	for (const child of children) {
		if (child !== null && child !== undefined)
			made.append(child);
	}
	return made;
};

kmp.svg = function (name, attributes, ...children) {
	const made = document.createElementNS('http://www.w3.org/2000/svg', name);

	kmp.dress(made, attributes);
	made.append(...children);
	return made;
};

kmp.dress = function (element, attributes) {
	for (const [key, value] of Object.entries(attributes || {})) {
		if (typeof value === 'function')
			element.addEventListener(key, value);
		else if (value !== null && value !== undefined && value !== false)
			element.setAttribute(key, value === true ? '' : value);
	}
};

kmp.size = function (bytes) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
	let value = Math.abs(bytes), unit = 0;

	while (unit < 5 && value >= (unit ? 1023.95 : 1024)) {
		value /= 1024;
		unit++;
	}
	return (bytes < 0 ? '\u2212' : '') + (unit ? value.toFixed(1) : value) + ' ' + units[unit];
};

kmp.change = function (bytes) {
	return (bytes > 0 ? '+' : '') + kmp.size(bytes);
};

kmp.count = function (number) {
	return String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f').replace('-', '\u2212');
};

kmp.share = function (part, all) {
	const percent = all ? part / all * 100 : 0;

	return percent.toFixed(percent && Math.abs(percent) < 0.1 ? 2 : 1) + ' %';
};

kmp.plural = function (number, one, many) {
	return kmp.count(number) + ' ' + (number === 1 ? one : many || one + 's');
};

// When what is there now has been drawn.
kmp.afterPaint = function (then) {
	requestAnimationFrame(() => setTimeout(then, 0));
};

// What tests a text for what is searched for: any part of it, or /an expression/. Null for an
// expression that is none.
kmp.matcher = function (text) {
	const wanted = text.toLowerCase();

	if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) {
		try {
			const pattern = new RegExp(text.slice(1, -1), 'i');

			return name => pattern.test(name);
		} catch (error) {
			return null;
		}
	}
	return name => name.toLowerCase().includes(wanted);
};

// The arrow keys move the focus along a list of elements, which are one stop of the tab key.
kmp.arrows = function (event, elements) {
	const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
	const at = elements.findIndex(element => element.contains(event.target));
	let to = null;

	if (at < 0)
		return false;
	if (event.key in steps)
		to = elements[(at + steps[event.key] + elements.length) % elements.length];
	else if (event.key === 'Home')
		to = elements[0];
	else if (event.key === 'End')
		to = elements[elements.length - 1];
	if (!to)
		return false;
	event.preventDefault();
	to.focus();
	return true;
};
