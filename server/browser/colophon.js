// Counts a view of the page that shows it: no cookie, nothing stored. Served without comments and indentation.
;(() => {
  const script = document.currentScript
  // Not just any value: an element with that id is one, too.
  if (!script || self._colophon === 1) return
  self._colophon = 1
  const url = new URL('v1/collect', script.src).href
  const where = () => location.pathname.replace(/\/+$/, '')
  // Of an error page nothing is counted until the reader goes on from it.
  let last = performance.getEntriesByType('navigation')[0]?.responseStatus > 399 ? where() : 0
  const count = () => {
    const page = where()
    if (document.prerendering || page === last) return
    last = page
    if (document.querySelector('meta[name=colophon][content=error]')) return
    const id = crypto.getRandomValues(new Uint32Array(4)).join('')
    const body = JSON.stringify({ key: script.dataset.site, id, path: location.pathname })
    if (!navigator.sendBeacon?.(url, body))
      fetch(url, { method: 'POST', body, mode: 'no-cors', keepalive: 1 }).catch(() => 0)
  }
  for (const name of ['pushState', 'replaceState']) {
    const move = history[name]
    history[name] = (...to) => {
      move.apply(history, to)
      // The page that comes next is shown, or says that it is an error, after this.
      setTimeout(count)
    }
  }
  addEventListener('popstate', count)
  document.addEventListener('prerenderingchange', count)
  // Back at a page that the browser had kept: had it not, the page would have been loaded again.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) last = 0
    count()
  })
  count()
})()
