import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutNotes } from './notes.ts';

const changelog = `# Changelog

## [Unreleased]

- Later.

## [1.1.0] - 2026-11-18

### Added

- Packages.

## [1.0.0] - 2026-11-01

- First.
`;

test('release notes are what the changelog says of that version, and of no other', () => {
  assert.equal(
    cutNotes(changelog, { version: '1.1.0', isTrial: false }),
    '# Kelpie 1.1.0\n\n### Added\n\n- Packages.\n',
  );
  assert.equal(cutNotes(changelog, { version: '1.0.0', isTrial: false }), '# Kelpie 1.0.0\n\n- First.\n');
});

test('a trial has the notes of what is not released, and a version without notes has none', () => {
  assert.equal(cutNotes(changelog, { version: '1.2.0-trial', isTrial: true }), '# Kelpie 1.2.0-trial\n\n- Later.\n');
  assert.equal(cutNotes(changelog, { version: '1.2.0', isTrial: false }), undefined);
});
