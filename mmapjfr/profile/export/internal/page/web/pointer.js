// Pointing at the chart: hover, click, drag and wheel.

export function point(chart, events) {
  const { scroller } = chart;
  let drag = null;
  const place = (e) => {
    const box = scroller.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const hover = (node, e) => {
    if (node !== chart.hovered) {
      chart.hovered = node;
      chart.redraw();
    }
    scroller.style.cursor = node >= 0 ? 'pointer' : '';
    events.hover(node, e);
  };
  scroller.addEventListener('pointermove', (e) => {
    const { x, y } = place(e);
    if (drag && e.buttons === 1) {
      if (drag.moved || Math.abs(x - drag.x) > 4) {
        chart.panBy((drag.x - x) / chart.width);
        drag = { x, moved: true };
        hover(-1, e);
      }
      return;
    }
    hover(chart.nodeAt(x, y), e);
  });
  scroller.addEventListener('pointerleave', (e) => hover(-1, e));
  scroller.addEventListener('pointerdown', (e) => {
    if (e.button === 0) drag = { x: place(e).x, moved: false };
  });
  scroller.addEventListener('click', (e) => {
    const moved = drag && drag.moved;
    drag = null;
    const { x, y } = place(e);
    const node = chart.nodeAt(x, y);
    if (!moved && node >= 0) events.click(node, e);
  });
  scroller.addEventListener('wheel', (e) => {
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
    const tall = scroller.scrollHeight > scroller.clientHeight + 1;
    if (sideways) {
      chart.panBy((e.deltaX || e.deltaY) / chart.width);
    } else if (e.ctrlKey || e.metaKey || e.altKey || !tall) {
      chart.zoomBy(Math.exp(e.deltaY * (e.ctrlKey && Math.abs(e.deltaY) < 40 ? 0.01 : 0.002)), place(e).x / chart.width);
    } else {
      return; // the browser scrolls
    }
    e.preventDefault();
  }, { passive: false });
}
