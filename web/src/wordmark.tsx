/** A book's closing note was set in lines that taper to a point: that shape is the mark. */
export function Wordmark() {
  return (
    <h1 className="wordmark">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 3h18M3 7.5h18M6 12h12M9 16.5h6M12 21h.01" />
      </svg>
      Colophon
    </h1>
  )
}
