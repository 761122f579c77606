import { Button } from '@mantine/core'

/** Opens the confirmation of a destructive action. `subject` names its object for screen readers. */
export function DangerButton({
  children,
  subject,
  onClick,
}: {
  children: string
  subject: string
  onClick: () => void
}) {
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      c="var(--bad)"
      aria-label={`${children} ${subject}`}
      onClick={onClick}
    >
      {children}
    </Button>
  )
}
