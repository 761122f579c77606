import { VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import styles from './wordmark.module.css'

/** The shape of a book's colophon, which was set in lines that taper to a point. */
const Mark = () => (
  <svg className={styles.mark} viewBox="0 0 24 24" aria-hidden="true">
    <path d="M3 3h18M3 7.5h18M6 12h12M9 16.5h6M12 21h.01" />
  </svg>
)

/** Links to the start page. Where space is short, only the mark is visible. */
export function Wordmark({ isShort = false }: { isShort?: boolean }) {
  return (
    <Link to="/" className={styles.wordmark}>
      <Mark />
      {isShort ? <VisuallyHidden>Colophon</VisuallyHidden> : 'Colophon'}
    </Link>
  )
}
