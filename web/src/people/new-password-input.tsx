import { PasswordInput } from '@mantine/core'

export const minPasswordCharacters = 12

/** An input for choosing a password, with support for password managers. */
export function NewPasswordInput({
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
          ? `At least ${minPasswordCharacters} characters. A few words that you can remember are fine; common passwords are rejected`
          : `${missing} more ${missing === 1 ? 'character' : 'characters'} needed`
      }
      autoComplete="new-password"
      minLength={minPasswordCharacters}
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
