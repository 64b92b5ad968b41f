// The loader starts the script of the page, which is packed. The script uses it for the data, too.
import { bytesOf } from './text.js';
import { expand } from './expand.js';

window.loader = { bytesOf, expand };
const script = document.createElement('script');
script.textContent = new TextDecoder().decode(expand(bytesOf('app')));
document.head.append(script);
