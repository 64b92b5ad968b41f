// The loader starts the script of the page, which is packed.
import { bytesOf } from './unpack.js';
import { expand } from './expand.js';

const script = document.createElement('script');
script.textContent = expand(bytesOf('app'));
document.head.append(script);
