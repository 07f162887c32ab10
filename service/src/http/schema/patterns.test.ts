import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patterns } from './patterns.ts';

const shownName = new RegExp(patterns.shownName, 'u');
const payeeName = new RegExp(patterns.payeeName, 'u');

test('a name may be written in any script, with the joiners that it needs', () => {
  for (const name of ['Ada', 'O’Neil-Šípková', 'Søren & Söhne', '株式会社', 'علی‌رضا', 'ක්‍රිස්', 'क्‍ष', '👩‍👩‍👧', '👩🏽‍🔧 Tools']) {
    assert.match(name, shownName);
    assert.match(name, payeeName);
  }
});

test('nothing in a name turns or hides text', () => {
  const marks = [
    '\u061c',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202e',
    '\u2066',
    '\u2069',
    '\u200b',
    '\u2060',
    '\ufeff',
    '\u00ad',
  ];
  for (const mark of [...marks, '\u200c', '\u200d', '\u{e0041}'])
    for (const name of [`${mark}Ada`, `A${mark}da`, `Ada${mark}`, `علی${mark} x`]) {
      assert.doesNotMatch(name, shownName, JSON.stringify(name));
      assert.doesNotMatch(name, payeeName, JSON.stringify(name));
    }
});
