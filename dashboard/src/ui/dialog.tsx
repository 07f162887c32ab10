import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** What it shows is not to be lost by a click beside it. */
  isSticky?: boolean;
  children: ReactNode;
}

export function Dialog({ title, isOpen, onClose, isSticky = false, children }: DialogProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!isSticky}
      isKeyboardDismissDisabled={isSticky}
      className="fixed inset-0 z-40 grid place-items-end bg-[#04100f]/45 sm:place-items-center sm:p-6"
    >
      <Modal className="max-h-[92dvh] w-full overflow-y-auto rounded-t-lg border border-line bg-raised shadow-float sm:max-w-form sm:rounded-lg">
        <AriaDialog className="grid gap-4 p-5 outline-none sm:p-6">
          <Heading slot="title" className="text-title font-semibold">
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>;
}
