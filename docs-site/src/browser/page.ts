// Buttons to copy, and the search once it is wanted. A page has no origin of its own: it can neither store nor fetch anything.

function copy(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  // The newer way needs a permission that a page without an origin does not get everywhere.
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}

function addCopyButton(figure: Element): void {
  const code = figure.querySelector('code');
  if (code === null) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    button.textContent = copy(code.textContent ?? '') ? 'Copied' : 'Select and copy';
    button.focus();
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  });
  figure.append(button);
}

for (const figure of document.querySelectorAll('figure.code')) addCopyButton(figure);

const box = document.querySelector<HTMLElement>('.search');
const input = box?.querySelector('input') ?? null;
const source = document.currentScript?.dataset['search'];

if (box !== null && input !== null && source !== undefined) {
  box.hidden = false;
  input.addEventListener(
    'focus',
    () => {
      const script = document.createElement('script');
      script.src = source;
      document.head.append(script);
    },
    { once: true },
  );
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === input) return;
    event.preventDefault();
    input.focus();
  });
}
