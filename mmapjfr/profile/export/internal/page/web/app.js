// The page of flame graphs.
import { start } from './start.js';
import { Page } from './page.js';

start(Page);
