/** Mantine's look with the router's links: an address or a parameter that no page has does not compile. */
import { Anchor, type AnchorProps, Button, type ButtonProps, Menu, type MenuItemProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps, Ref } from 'react'

type OfAnchor<Props> = Props & Omit<ComponentProps<'a'>, keyof Props> & { ref?: Ref<HTMLAnchorElement> }

export const AnchorLink = createLink((props: OfAnchor<AnchorProps>) => <Anchor {...props} />)
export const ButtonLink = createLink((props: OfAnchor<ButtonProps>) => <Button component="a" {...props} />)
export const MenuItemLink = createLink((props: OfAnchor<MenuItemProps>) => <Menu.Item component="a" {...props} />)
