import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSite } from './build.ts';
import { highlight } from './highlight.ts';
import { partnersChangelog, readSources } from './pages.ts';

const files = new Map((await buildSite(readSources())).map(({ name, text }) => [name, text]));
const pages = [...files].filter(([name]) => name.endsWith('.html'));

test('every page has its source beside it, and is in llms.txt', () => {
  assert(pages.length > 12, 'hardly any page was built');
  for (const [name] of pages) {
    const source = name.replace('.html', '.md');
    assert(files.has(source), source);
    assert(name === 'index.html' || files.get('llms.txt')?.includes(`/docs/${source}`), name);
  }
});

test('no page has a script, a style or a picture of its own, or loads anything from elsewhere', () => {
  for (const [name, html] of pages) {
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc="\/docs\/)|<style|\sstyle=|\son\w+=/, name);
    assert.doesNotMatch(html, /<(script|img|iframe)[^>]*\ssrc="(https?:)?\/\//, name);
    assert.doesNotMatch(html, /<link[^>]*\shref="(https?:)?\/\//, name);
  }
});

test('every link between pages leads to a page and a heading that exist', () => {
  const wrong = pages.flatMap(([name, html]) =>
    Array.from(html.matchAll(/href="(\/docs[^"]*|#[^"]*)"/g), ([, link = '']) => link).filter((link) => {
      const [address = '', anchor] = link.split('#');
      if (/^\/docs\/(reference|fonts|favicon)/.test(address)) return false;
      const file = address === '' ? name : address.replace(/^\/docs\/?/, '') || 'index.html';
      const target = files.get(file.includes('.') ? file : `${file}.html`);
      return target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`));
    }),
  );
  assert.deepEqual(wrong, []);
});

test('two pages have different titles and descriptions', () => {
  for (const pattern of [/<title>(.*?)<\/title>/, /<meta name="description" content="(.*?)"/]) {
    const found = pages.map(([, html]) => pattern.exec(html)?.[1]);
    assert.equal(new Set(found).size, pages.length);
    assert(found.every((text) => text !== undefined && text !== ''));
  }
});

function one(text: string) {
  return { name: 'one', markdown: `# One\n\n${text}\n` };
}

test('a link to a page that does not exist, HTML, and a page that is not listed stop the build', async () => {
  const home = { name: 'README', markdown: '# Home\n\nHello.\n\n## Start\n\n- [One](one.md)\n' };
  await assert.rejects(buildSite([home, one('[none](none.md)')]), /one\.md: none\.md leads to no page/);
  await assert.rejects(buildSite([home, one('[out](../ledger.md)')]), /leads to no page/);
  await assert.rejects(buildSite([home, one('<script>alert(1)</script>')]), /without HTML/);
  await assert.rejects(buildSite([home, one('Hello.'), { ...one('Hello.'), name: 'two' }]), /does not list two/);
});

test('code is escaped, and marked by classes alone', () => {
  assert.equal(
    highlight('const a = "<b>"; // 1 & 2', 'ts'),
    '<span class="word">const</span> a = <span class="text">&quot;&lt;b&gt;&quot;</span>; <span class="comment">// 1 &amp; 2</span>',
  );
  assert.equal(highlight('<b> & "c"', 'text'), '&lt;b&gt; &amp; &quot;c&quot;');
});

test('the changelog for partners leaves operations out', () => {
  const text =
    '# Changelog\n\n## [1.0.0]\n\n#### API\n\n- [a](sdk/CHANGELOG.md), [d](docs/partners/errors.md#e)\n\n#### Operations\n\n- b\n\n## [0.9.0]\n\n- c\n';
  assert.equal(partnersChangelog(text), '### 1.0.0\n\n##### API\n\n- a, [d](errors.md#e)\n\n### 0.9.0\n\n- c\n');
});
