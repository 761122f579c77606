import { PasswordInput } from '@mantine/core'

export const minPasswordCharacters = 12

/** For a password that is being chosen; the browser's own password manager is asked to help. */
export function NewPassword({
  label = 'Password',
  value,
  onChange,
}: {
  label?: string
  value: string
  onChange(value: string): void
}) {
  const missing = minPasswordCharacters - value.length
  return (
    <PasswordInput
      label={label}
      description={
        value === '' || missing <= 0
          ? `At least ${minPasswordCharacters} characters; a few words you remember are fine.`
          : `${missing} more ${missing === 1 ? 'character' : 'characters'}.`
      }
      autoComplete="new-password"
      minLength={minPasswordCharacters}
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
