// Choosing in the heat map: click, drag and keys. With Control it is the second range.

export function chooseRanges(map) {
  const { scroller } = map;
  let anchor = -1; // where the range begins that is being made
  let end = -1;
  const unit = (e) => {
    const box = scroller.getBoundingClientRect();
    return map.unitAt(e.clientX - box.left, e.clientY - box.top);
  };
  const choose = (e, done) => {
    end = Math.max(0, Math.min(end, map.sums.length - 1));
    map.events.choose(map.rangeOf(anchor, end), e.ctrlKey || e.metaKey, done);
  };
  scroller.addEventListener('pointerdown', (e) => {
    const box = scroller.getBoundingClientRect();
    if (e.button !== 0 || e.clientY - box.top > map.height) return; // the axis and the scroll bar
    end = unit(e);
    if (!e.shiftKey || anchor < 0) anchor = end;
    scroller.setPointerCapture(e.pointerId);
    choose(e, false);
  });
  scroller.addEventListener('pointermove', (e) => {
    const box = scroller.getBoundingClientRect();
    if (e.buttons & 1 && scroller.hasPointerCapture(e.pointerId)) {
      if (e.clientX < box.left || e.clientX > box.right) scroller.scrollLeft += e.clientX < box.left ? -map.w : map.w;
      end = unit(e);
      choose(e, false);
    }
    const inside = e.clientY - box.top < map.height;
    map.hovered = inside ? unit(e) : -1;
    map.events.hover(map.hovered, e);
    map.redraw();
  });
  scroller.addEventListener('pointerup', (e) => {
    if (scroller.hasPointerCapture(e.pointerId)) choose(e, true);
  });
  scroller.addEventListener('pointerleave', (e) => {
    map.hovered = -1;
    map.events.hover(-1, e);
    map.redraw();
  });
  scroller.addEventListener('wheel', (e) => {
    if (e.ctrlKey || Math.abs(e.deltaX) > Math.abs(e.deltaY) || scroller.scrollWidth <= scroller.clientWidth) return;
    scroller.scrollLeft += e.deltaY;
    e.preventDefault();
  }, { passive: false });
  scroller.addEventListener('keydown', (e) => {
    const by = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -map.scale.rows, ArrowRight: map.scale.rows }[e.key];
    if (by === undefined) return;
    const [low, high] = [map.unitOf(0), map.unitOf(map.header.cells - 1)];
    end = end < 0 ? low : Math.max(low, Math.min(end + by, high));
    if (!e.shiftKey || anchor < 0) anchor = end;
    choose(e, true);
    map.reveal(end);
    e.preventDefault();
    e.stopPropagation();
  });
  // forget lets keys begin at the row of a range.
  return (range) => { anchor = end = range ? map.unitOf(range.from) : -1; };
}
