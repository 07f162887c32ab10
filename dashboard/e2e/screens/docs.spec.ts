import { heading, patienceMs, shoot, test } from './shoot.ts';
import { stack } from '../stack.ts';

test('the docs for partners', async ({ page, request }) => {
  test.setTimeout(patienceMs);
  const listed = await (await request.get(`${stack.url}/llms.txt`)).text();
  const names = Array.from(listed.matchAll(/\/docs\/([\w-]+)\.md/g), ([, name = '']) => name);
  const shots = names.map((name) => ({ name: `docs-${name}`, address: `/docs/${name}`, ready: heading(/./) }));
  await shoot(page, [{ name: 'docs', address: '/docs', ready: heading('Kelpie docs') }, ...shots]);
});
