// The loader starts the script of the page, which is packed.
import { unpack } from './unpack.js';

unpack('app').then((bytes) => {
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(bytes);
  document.head.append(script);
}, (err) => {
  document.body.append('This page needs a browser of 2023 or later: ' + err);
});
