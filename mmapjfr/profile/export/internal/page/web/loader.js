// The loader starts the script of the page, which is packed.
import { unpack } from './unpack.js';

async function load() {
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(await unpack('app'));
  document.head.append(script);
}

load().catch((err) => document.body.append('Cannot show this page: ' + err + '. It needs a browser from 2023 or later.'));
