/** Router links with Mantine's look. A path or parameter that no route has does not compile. */
import { Anchor, type AnchorProps, Button, type ButtonProps, Menu, type MenuItemProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps, Ref } from 'react'

type WithAnchorProps<Props> = Props & Omit<ComponentProps<'a'>, keyof Props> & { ref?: Ref<HTMLAnchorElement> }

export const AnchorLink = createLink((props: WithAnchorProps<AnchorProps>) => <Anchor {...props} />)
export const ButtonLink = createLink((props: WithAnchorProps<ButtonProps>) => <Button component="a" {...props} />)
export const MenuItemLink = createLink((props: WithAnchorProps<MenuItemProps>) => (
  <Menu.Item component="a" {...props} />
))
