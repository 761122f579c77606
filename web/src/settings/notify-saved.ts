import { notifications } from '@mantine/notifications'

export const notifySaved = (message: string) =>
  notifications.show({ message, color: 'green', autoClose: 4_000, closeButtonProps: { 'aria-label': 'Close' } })
