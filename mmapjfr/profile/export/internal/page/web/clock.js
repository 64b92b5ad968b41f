// Clock: times of day, in the zone of the reader or in UTC.

export class Clock {
  constructor(utc) {
    this.zone = utc ? 'UTC' : undefined;
    this.formats = {};
  }

  format(ms, options) {
    const key = JSON.stringify(options); // making formats takes time
    this.formats[key] ||= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: this.zone, hourCycle: 'h23' });
    return this.formats[key].format(ms);
  }

  // offset is how much later than in UTC it is, in milliseconds.
  offset(ms) { return this.zone ? 0 : new Date(ms).getTimezoneOffset() * -60000; }

  day(ms) { return this.format(ms, { weekday: 'short', day: 'numeric', month: 'short' }); }
  minute(ms) { return this.format(ms, { hour: '2-digit', minute: '2-digit' }); }
  second(ms) { return this.format(ms, { hour: '2-digit', minute: '2-digit', second: '2-digit' }); }
  milli(ms) { return this.format(ms, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 }); }

  // name is the name of the zone.
  name(ms) {
    return this.zone || new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(ms).find((p) => p.type === 'timeZoneName').value;
  }

  // span is a time from its beginning to its end.
  span(from, to) {
    const text = (ms) => (from % 1000 || to % 1000 ? this.milli(ms) : this.second(ms));
    return `${this.day(from)} ${text(from)} – ${this.day(from) === this.day(to) ? '' : this.day(to) + ' '}${text(to)}`;
  }
}
