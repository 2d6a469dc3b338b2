;;; emacs.el --- jsonrpc.el drives rpcshell (docs/EMBEDDING.md)  -*- lexical-binding: t; coding: utf-8 -*-

;; >>> show
(require 'jsonrpc)

(defvar account-page nil "The sections of the page, each as it last came.")
(defvar account-question nil "The id of the request that waits for its answer.")
(defvar account-call nil "The id of the upgrade that runs.")

(defun account-show ()
  "Write the page into its buffer."
  (let ((summary (plist-get account-page :summary))
        (upgrade (plist-get account-page :upgrade)))
    (with-current-buffer (get-buffer-create "*account*")
      (erase-buffer)
      (insert (format "%s  %s  %s\n" (plist-get summary :name)
                      (or (plist-get summary :priceLine) "") (or (plist-get summary :dateLine) "")))
      (cl-loop for meter across (plist-get (plist-get account-page :usage) :meters)
               do (insert (format "  %s  %s\n" (plist-get meter :label) (plist-get meter :figure))))
      (when upgrade
        (insert (format "  [%s]  %s\n" (plist-get upgrade :title)
                        (or (plist-get upgrade :message) (plist-get upgrade :phase))))))))

(defun account-keep (sections)
  "Put SECTIONS in the place of those before."
  (cl-loop for (name section) on sections by #'cddr
           do (setq account-page (plist-put account-page name section)))
  (account-show))

(defun account-notified (_shell method params)
  (when (and (eq method '$/cancelRequest) (eql (plist-get params :id) account-question))
    (account-withdraw))
  (when (eq method 'plan.state)
    (account-keep (plist-get params :state))
    (when (equal (plist-get params :cause) "upgrade")
      (setq account-call (plist-get params :requestId)))
    (when-let ((announcement (plist-get params :announcement)))
      (message "%s" (plist-get announcement :text)))))
;; <<< show

;; >>> answer
(defclass account-shell (jsonrpc-process-connection) ()
  "Answers later where its dispatcher says so: that runs in a process filter, which must not wait for a person.")

(cl-defmethod jsonrpc-connection-send :around ((_shell account-shell) &rest reply)
  (if (eq (plist-get reply :result) 'later)
      (setq account-question (plist-get reply :id))
    (cl-call-next-method)))

(defun account-asked (_shell method params)
  (pcase method
    ('host.onUpgrade (run-at-time 0 nil #'account-buy (plist-get params :plan)) 'later)
    (_ (jsonrpc-error :code -32601 :message (format "no %s here" method)))))

(defun account-buy (plan)
  "Here your billing takes over."
  (let ((yes (catch 'account-withdrawn
               (condition-case nil (y-or-n-p (format "Upgrade from %s? " (plist-get plan :name)))
                 (quit nil)))))
    (account-answer
     (if yes
         (list :plan (list :name "Studio" :price '(:amount "19.99" :currencyCode "USD") :period "month"
                           :status (plist-get plan :status) :meters (plist-get plan :meters)))
       '(:outcome "cancelled")))))

(defun account-withdraw ()
  "Close the question, if it is open."
  (when account-question
    (run-at-time 0 nil (lambda () (ignore-error no-catch (throw 'account-withdrawn nil))))))

(defun account-answer (result)
  (when (account-running-p)
    (jsonrpc-connection-send account-process :id account-question :result result))
  (setq account-question nil))
;; <<< answer

;; >>> connect
(defvar account-process nil "The connection to rpcshell.")

(defun account-running-p ()
  (and account-process (jsonrpc-running-p account-process)))

(defun account-start ()
  "Show the account."
  (interactive)
  (unless (account-running-p)
    (setq account-process
          (make-instance 'account-shell :name "rpcshell" :on-shutdown #'account-ended
                         :notification-dispatcher #'account-notified :request-dispatcher #'account-asked
                         :process (lambda ()
                                    (make-process :name "rpcshell" :command '("rpcshell") :connection-type 'pipe
                                                  :coding 'utf-8-emacs-unix :noquery t
                                                  :stderr (get-buffer-create "*rpcshell stderr*")))))
    (jsonrpc-request account-process :initialize
                     (list :processId (emacs-pid) :clientInfo '(:name "Emacs") :handlers ["onUpgrade"])))
  (account-keep (plist-get (jsonrpc-request account-process :plan.get nil) :state))
  (pop-to-buffer "*account*"))

(defun account-ended (_shell)
  (account-withdraw)
  (with-current-buffer (get-buffer-create "*account*")
    (erase-buffer)
    (insert "rpcshell has ended: M-x account-start\n")))

(defun account-upgrade ()
  "Upgrade; the page shows what comes of it.  What is refused changes nothing there: that is said here."
  (interactive)
  (unless (account-running-p) (user-error "M-x account-start comes first"))
  (jsonrpc-async-request account-process :plan.upgrade '(:workDoneToken "upgrade")
                         :success-fn #'ignore :timeout nil
                         :error-fn (lambda (refusal)
                                     (unless (eql (plist-get refusal :code) -32800)
                                       (message "%s" (plist-get refusal :message))))))

(defun account-cancel ()
  "Cancel the upgrade."
  (interactive)
  (when (and account-call (account-running-p))
    (jsonrpc-notify account-process :$/cancelRequest (list :id account-call))))

(defun account-stop ()
  "Let rpcshell leave."
  (interactive)
  (when (account-running-p)
    (jsonrpc-request account-process :shutdown nil)
    (jsonrpc-notify account-process :exit nil)
    (while (jsonrpc-running-p account-process)   ; jsonrpc-shutdown would kill it at once
      (accept-process-output nil 0.1))))
;; <<< connect

;;; The test

(defconst test-limit 30 "Seconds for the whole script.")
(defconst test-non-ascii
  '(:name "Größe-🚀" :price (:display "9,99 €") :status (:noRenewal t) :upgrade (:title "Auf Größe XL")))

(defvar test-passed 0)
(defvar test-failed 0)
(defvar test-states nil "The events, the newest first.")
(defvar test-progress nil "What $/progress said, the newest first.")
(defvar test-cancelled nil "The ids that $/cancelRequest named.")
(defvar test-asked nil "The names of the plans that were to be upgraded.")

(defun test-check (name passed &optional got)
  (if passed (cl-incf test-passed) (cl-incf test-failed))
  (princ (if passed (format "ok   %s\n" name) (format "FAIL %s: got %S\n" name got))))

(defun test-finish ()
  (princ (format "%d passed, %d failed\n" test-passed test-failed))
  (kill-emacs (if (or (> test-failed 0) (= test-passed 0)) 1 0)))

(defmacro test-until (condition)
  "Whether CONDITION becomes true in time."
  `(with-timeout (5 nil)
     (let (value)
       (while (not (setq value ,condition)) (accept-process-output nil 1))
       value)))

(defun test-at (value &rest keys)
  (dolist (key keys value) (setq value (plist-get value key))))

(defun test-phases ()
  "The phases of the upgrade, the oldest first."
  (nreverse (delq nil (mapcar (lambda (event) (test-at event :state :upgrade :phase)) test-states))))

(defun test-request (method params)
  (jsonrpc-request account-process method params :timeout 5))

(defun test-note (_shell method params)
  (pcase method
    ('plan.state (push params test-states))
    ('$/progress (push params test-progress))
    ('$/cancelRequest (push (plist-get params :id) test-cancelled))))

(defvar test-answers
  (list (lambda ()
          (jsonrpc-notify account-process :$/progress '(:token "upgrade" :value (:kind "report" :percentage 40)))
          (test-until (equal (test-at (car test-states) :state :upgrade :progress) 0.4))))
  "What the person does when asked, in order; nothing is a no.")

(defun test-answer (question)
  (push question test-asked)
  (when test-answers (funcall (pop test-answers))))

(defun test-upgrade ()
  "Upgrade as the person would, and wait until it has ended, well or not."
  (setq test-progress nil)
  (account-upgrade)
  (test-until (equal (test-at (car test-progress) :value :kind) "end")))

(advice-add 'account-notified :after #'test-note)
(advice-add 'y-or-n-p :override #'test-answer)

(run-at-time test-limit nil (lambda () (test-check (format "ends within %d s" test-limit) nil) (test-finish)))

(account-start)
(test-check "initialize, plan.get" (equal (test-at account-page :summary :dateLine) "Renews Nov 2") account-page)
(test-check "the page is in its buffer"
            (equal (with-current-buffer "*account*" (buffer-string))
                   "Plus  $9.99 per month  Renews Nov 2
  Storage  8.2 of 10 GB
  Exports  412 of 1,000
  [Upgrade to Studio]  idle\n")
            (with-current-buffer "*account*" (buffer-string)))

(account-upgrade)
(test-until (equal (test-at (car test-progress) :value :kind) "end"))
(test-check "the client does the upgrade" (equal test-asked '("Upgrade from Plus? ")) test-asked)
(test-check "working, then done" (equal (test-phases) '("working" "working" "done")) (test-phases))
(test-check "the new plan is shown"
            (and (equal (test-at account-page :summary :name) "Studio")
                 (= (length (test-at account-page :usage :meters)) 2))
            account-page)
(test-check "what to feel and to say"
            (let ((done (cl-find-if (lambda (event) (plist-get event :feedback)) test-states)))
              (and (equal (plist-get done :feedback) "success")
                   (equal (test-at done :announcement :text) "Upgrade complete")))
            test-states)
(test-check "$/progress"
            (and (cl-every (lambda (report) (equal (plist-get report :token) "upgrade")) test-progress)
                 (equal (mapcar (lambda (report) (test-at report :value :kind)) test-progress)
                        '("end" "report" "begin")))
            test-progress)
(test-check "the button folds away"
            (test-until (equal (plist-get (car test-states) :state) '(:upgrade nil))) (car test-states))

(condition-case refusal
    (progn (test-request :plan.upgarde nil) (test-check "an unknown method" nil))
  (jsonrpc-error
   (test-check "an unknown method"
               (and (eq (alist-get 'jsonrpc-error-code (cdr refusal)) -32601)
                    (string-match-p "did you mean 'plan.upgrade'?" (alist-get 'jsonrpc-error-message (cdr refusal))))
               refusal)))

(test-request :plan.set (list :plan test-non-ascii))
(let ((name (test-at (test-request :plan.get nil) :state :plan :name)))
  (test-check "a name outside ASCII, there and back" (equal name "Größe-🚀") name))
(let ((pong (test-request :shell.ping test-non-ascii)))
  (test-check "shell.ping" (equal pong test-non-ascii) pong))

(let ((outcome (test-request :plan.upgrade nil)))
  (test-check "the person backs out" (equal (plist-get outcome :outcome) "cancelled") outcome))

;; C-g
(setq test-answers (list (lambda () (signal 'quit nil))))
(test-check "C-g is a no" (and (test-upgrade) (equal (test-at account-page :upgrade :phase) "idle")) account-page)

;; Nobody answers, until the question is withdrawn.
(setq test-answers (list (lambda ()
                           (test-check "an upgrade waits for the client" (eq account-question 1000004) account-question)
                           (account-cancel)
                           (test-until nil)
                           (test-check "the question is closed" nil))))
(test-check "the cancel is passed on" (and (test-upgrade) (equal test-cancelled '(1000004))) test-cancelled)
(test-check "the button rests" (equal (test-at account-page :upgrade :phase) "idle") account-page)

;; Two at once: the second one is refused, and no event comes of it.
(let (said refused)
  (setq test-answers (list (lambda ()
                             (advice-add 'message :before (lambda (&rest words) (push (cadr words) said)))
                             (account-upgrade)
                             (test-until said)
                             (setq refused (car said))
                             (account-cancel)
                             (test-until nil)
                             (test-check "the first one is cancelled" nil))))
  (test-upgrade)
  (test-check "what is refused is said" (equal refused "An upgrade is already running") said))

(let ((process account-process))
  (account-start)
  (test-check "a second start takes the same shell" (eq process account-process)))

;; The shell dies while the person is asked.
(setq test-answers (list (lambda ()
                           (kill-process (jsonrpc--process account-process))
                           (test-until nil)
                           (test-check "the question is closed" nil))))
(account-upgrade)
(test-check "the end is shown"
            (test-until (and (not account-question)
                             (string-match-p "has ended" (with-current-buffer "*account*" (buffer-string)))))
            (with-current-buffer "*account*" (buffer-string)))
(test-check "nothing without a shell" (condition-case nil (ignore (account-upgrade)) (user-error t)))
(account-start)
(test-check "started again" (equal (test-at account-page :summary :dateLine) "Renews Nov 2") account-page)

(account-stop)
(test-check "shutdown, exit" (= (process-exit-status (jsonrpc--process account-process)) 0)
            (process-exit-status (jsonrpc--process account-process)))
(test-finish)
