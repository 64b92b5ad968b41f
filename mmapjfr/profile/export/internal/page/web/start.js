// Starting: shows the page when its data is decoded.
import css from './style.css';
import { unpack } from './unpack.js';
import { decode } from './decode.js';
import { h } from './dom.js';

export async function start(Page) {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
    const data = decode(await unpack('data'));
    document.getElementById('data').remove();
    if (data.header.kinds.length === 0) {
      document.body.append(h('p', { className: 'nothing' }, 'The profile has no samples.'));
      return;
    }
    window.page = new Page(data); // for tests and the console
    window.page.open();
    requestAnimationFrame(() => setTimeout(() => performance.mark('painted')));
  } catch (err) {
    document.body.append(h('p', { className: 'nothing' }, 'Cannot show this page: ' + err));
    console.error(err);
  }
}
