import { Button } from '@mantine/core'

/** Takes something away, after a question. `of` tells those who only hear the page which one. */
export function DangerButton({ children, of, onClick }: { children: string; of: string; onClick: () => void }) {
  return (
    <Button size="xs" variant="subtle" color="red" c="var(--bad)" aria-label={`${children} ${of}`} onClick={onClick}>
      {children}
    </Button>
  )
}
