// Labels: as much of a name as a frame has room for.
import { split } from './names.js';

export class Labels {
  constructor(context, font) {
    this.context = context;
    this.font = font;
    this.widths = new Map();
  }

  width(char) {
    let w = this.widths.get(char);
    if (w === undefined) {
      this.context.font = this.font;
      this.widths.set(char, w = this.context.measureText(char).width);
    }
    return w;
  }

  // fit returns the name, or it without its package, or the beginning of that; '' if there is no
  // room for two characters.
  fit(name, kind, room) {
    if (this.length(name, room) === name.length) return name;
    const rest = split(name, kind)[1];
    let n = this.length(rest, room);
    if (n === rest.length) return rest;
    n = this.length(rest, room - this.width('…'));
    return n < 2 ? '' : rest.slice(0, n) + '…';
  }

  // length returns how many characters of a text have room.
  length(text, room) {
    for (let i = 0; i < text.length; i++) {
      room -= this.width(text[i]);
      if (room < 0) return i;
    }
    return text.length;
  }
}
